import { DeliveryRefused, defineAction, definePlugin, noticeText } from '@horarium/core/plugin';
import { OutboundHttp, originOf, outboundOptions, urlOption } from 'horarium/plugins/outbound-http';

/** Posts notices to a chat such as Slack or Mattermost, by an address that the chat makes for incoming messages. */
export default definePlugin({
  name: 'action-chat',
  api: 1,
  options: outboundOptions,
  actions: ({ options: { allowed_networks } }) => {
    const http = new OutboundHttp({ allowedNetworks: allowed_networks });
    return [
      defineAction({
        name: 'chat',
        options: { url: urlOption('The address for incoming messages, which the chat makes.').required() },
        address: ['url'],
        endpoint: ({ url }) => originOf(url),
        async deliver({ options: { url }, notice }, signal) {
          const body = JSON.stringify({ text: noticeText(notice).subject });
          const headers = { 'content-type': 'application/json' };
          const answer = await http.fetch({ url, method: 'POST', headers, body, signal }, 1000);
          const { status } = answer;
          const response = Buffer.from(answer.body).toString();
          if (status === 200) return { status, response };
          throw new DeliveryRefused(`${originOf(url)} answered with the status ${status}`, { status, response });
        },
      }),
    ];
  },
});

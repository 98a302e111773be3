import { DeliveryRefused, defineAction, definePlugin, noticeText, serializeNotice, text } from '@horarium/core/plugin';
import { digestInterval, digestOption, messageOptions } from '../messages/message-options.ts';
import { OutboundHttp } from '../outbound-http/outbound-http.ts';
import { outboundOptions } from '../outbound-http/outbound-options.ts';
import { originOf, urlOption } from '../outbound-http/url-option.ts';
import { signWebhook, webhookSecret } from '../standard-webhooks/standard-webhooks.ts';

/** The bytes of an answer that a delivery shows. */
const maxAnswer = 1000;

/** A key that messages are signed with. */
function signingKey(description: string) {
  return text(128, { secret: 'encrypted', description }).matches(webhookSecret, {
    excludeEmptyString: true,
    message: ({ path }: { path: string }) => `${path} must be a key such as Standard Webhooks writes it: whsec_…`,
  });
}

/** Posts notices to a URL, signed as Standard Webhooks says. */
export default definePlugin({
  name: 'action-webhook',
  api: 1,
  options: outboundOptions,
  actions: ({ options: { allowed_networks }, clock }) => {
    const http = new OutboundHttp({ allowedNetworks: allowed_networks });
    return [
      defineAction({
        name: 'webhook',
        options: {
          url: urlOption('Where notices are posted. It is stored as a secret, because it may be one.').required(),
          secret: signingKey(
            'The key that signs the notices: whsec_ and 24 to 64 bytes in base64. Null = no signature.',
          ),
          previous_secret: signingKey('A further key that signs them, while receivers change to the new one.'),
          authorization: text(8192, { secret: 'encrypted', description: 'The header Authorization: Bearer abc.' }),
          ...messageOptions,
          digest: digestOption(0),
        },
        address: ['url'],
        digestInterval,
        endpoint: ({ url }) => originOf(url),
        async deliver({ id, options, notice }, signal) {
          const { url, secret, previous_secret, authorization } = options;
          const timestamp = Math.floor(clock.now() / 1000);
          const { subject, text: message } = noticeText(notice, { subject: options.subject, text: options.text });
          const data = serializeNotice(notice);
          const body = JSON.stringify({
            type: notice.event,
            timestamp: data['occurred_at'],
            subject,
            text: message,
            data,
          });
          const keys = [secret, previous_secret].filter((key) => key !== null);
          const signature = signWebhook({ id, timestamp, body }, keys);
          const { 'webhook-signature': signed, ...unsigned } = signature;
          const headers = {
            'content-type': 'application/json',
            'user-agent': 'Horarium',
            ...(keys.length > 0 ? { ...unsigned, 'webhook-signature': signed } : unsigned),
            ...(authorization !== null && { authorization }),
          };
          const answer = await http.fetch({ url, method: 'POST', headers, body, signal }, maxAnswer);
          const response = Buffer.from(answer.body).toString();
          const { status } = answer;
          if (status >= 200 && status < 300) return { status, response };
          const reason =
            status >= 300 && status < 400 ? 'with a redirect, which is not followed' : `with the status ${status}`;
          throw new DeliveryRefused(`${new URL(url).host} answered ${reason}`, { status, response });
        },
      }),
    ];
  },
});

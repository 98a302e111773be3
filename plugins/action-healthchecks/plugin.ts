import { type ActionEvent, DeliveryRefused, defineAction, definePlugin, noticeText } from '@horarium/core/plugin';
import { OutboundHttp } from '../outbound-http/outbound-http.ts';
import { outboundOptions } from '../outbound-http/outbound-options.ts';
import { originOf, urlOption } from '../outbound-http/url-option.ts';

/** The bytes of an answer that a delivery shows. */
const maxAnswer = 1000;

/** What is appended to the URL of a check, as its documentation says. */
const signals: Readonly<Record<ActionEvent, string>> = {
  on_start: '/start',
  on_success: '',
  on_late: '',
  on_recovered: '',
  on_failure: '/fail',
  on_missed: '/fail',
};

/** Pings a check of a Healthchecks server, which runs elsewhere and notices if Tasks fail, or nothing runs any more. */
export default definePlugin({
  name: 'action-healthchecks',
  api: 1,
  options: outboundOptions,
  actions: ({ options: { allowed_networks } }) => {
    const http = new OutboundHttp({ allowedNetworks: allowed_networks });
    /** The pings of starts that are under way, by their runs: the ping of an ending that overtakes one would be undone. */
    const starts = new Map<string, Promise<unknown>>();
    return [
      defineAction({
        name: 'healthchecks',
        options: {
          url: urlOption('The ping URL of the check: https://hc-ping.com/UUID, or that of your own server.').required(),
        },
        endpoint: ({ url }) => originOf(url),
        async deliver({ options: { url }, notice, hasEnded }, signal) {
          const { event, run_id } = notice;
          if (event === 'on_start' && hasEnded) return { response: 'Not pinged: the run has ended meanwhile.' };
          const run = `${run_id} ${url}`;
          if (event !== 'on_start') await starts.get(run)?.catch(() => {});
          const ping = new URL(url);
          ping.pathname = `${ping.pathname.replace(/\/$/, '')}${signals[event]}`;
          ping.searchParams.set('rid', run_id);
          const { text } = noticeText(notice);
          const headers = { 'content-type': 'text/plain; charset=utf-8', 'user-agent': 'Horarium' };
          const request = http.fetch({ url: ping.href, method: 'POST', headers, body: text, signal }, maxAnswer);
          if (event === 'on_start') starts.set(run, request);
          try {
            const { status, body } = await request;
            const response = Buffer.from(body).toString();
            if (status >= 200 && status < 300) return { status, response };
            throw new DeliveryRefused(`${ping.host} answered with the status ${status}`, { status, response });
          } finally {
            if (event === 'on_start') starts.delete(run);
          }
        },
      }),
    ];
  },
});

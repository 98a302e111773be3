import { choice, count, defineAsyncExecutor, definePlugin, json, mapOf, seconds, text } from '@horarium/core/plugin';
import { string } from 'yup';
import { OutboundHttp } from '../outbound-http/outbound-http.ts';
import { outboundOptions } from '../outbound-http/outbound-options.ts';
import { isRequest, requestRefusal, runHttpJob, urlOf } from './http-job.ts';
import { statusList } from './status-list.ts';

const headerName = { pattern: /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, description: 'the name of a header' };

/** Runs jobs by requesting a URL. */
export default definePlugin({
  name: 'executor-http',
  api: 1,
  options: {
    ...outboundOptions,
    max_output: count(10 * 1024 * 1024, { description: 'The maximum size of a stored response, in bytes.' }),
    timeout: seconds(300, { description: 'The timeout of a request in seconds, if its template sets none.' }).min(1),
  },
  executors: ({ options, clock }) => {
    const http = new OutboundHttp({ allowedNetworks: options.allowed_networks });
    return [
      defineAsyncExecutor({
        name: 'http',
        clock,
        maxOutput: options.max_output,
        options: {
          method: choice(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'], {
            description: 'Null = POST with a body, GET without one.',
          }),
          status: text(255, { description: 'HTTP statuses that count as success, such as 200-299,404.' })
            .matches(statusList, ({ path }: { path: string }) => `${path} must be statuses such as 200-299,404`)
            .default('200-299')
            .nonNullable(),
          headers: json(
            mapOf(string().max(8192).defined(), headerName),
            {},
            {
              description: 'Headers by name; they replace the headers of the App.',
            },
          ),
          authorization: text(8192, { secret: 'encrypted', description: 'The header Authorization: Bearer abc.' }),
          body: text(65_536, { description: 'Null = the stdin of the App.' }),
          ca: text(65_536, { description: 'Trusted certificates, in PEM; null = the well-known authorities.' }),
        },
        recognizes: isRequest,
        addressOf: urlOf,
        refusal: requestRefusal,
        run: (attempt) => runHttpJob(http, attempt, options.timeout * 1000),
      }),
    ];
  },
});

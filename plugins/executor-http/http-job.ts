import type { AsyncAttempt, AsyncOutcome, Attempt, Executable, Fields, StartRefusal } from '@horarium/core/plugin';
import type { OutboundHttp, OutboundRequest } from '../outbound-http/outbound-http.ts';
import { isExpected } from './status-list.ts';

/** How a template changes the request. */
export interface HttpJobOptions {
  readonly method?: string | null;
  readonly status?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly authorization?: string | null;
  readonly body?: string | null;
  readonly ca?: string | null;
}

type HttpAttempt = Pick<Attempt<Fields>, 'jobId' | 'executable' | 'arguments' | 'stdin'> & {
  readonly options: HttpJobOptions;
};

/** The executable of an App whose first argument is the URL, so that variables are replaced in it. */
const urlInArguments = 'http';

/** Whether an App is a request: what should be its URL begins like one, or with a placeholder. */
export function isRequest(app: Executable): boolean {
  const isPlaceholder = app.executable === urlInArguments && /^\$?\{/.test(urlOf(app));
  return app.oci_image === null && (isPlaceholder || /^https?:/i.test(urlOf(app)));
}

/** Returns the URL of a request, which is a text of any form. */
export function urlOf({ executable, arguments: args }: Pick<Executable, 'executable' | 'arguments'>): string {
  return executable === urlInArguments ? (args[0] ?? '') : executable;
}

/** The request of a job. */
interface HttpJobRequest extends OutboundRequest {
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns the request of a job; a text where there is none, which says why. */
function requestOf({ jobId, executable, arguments: args, stdin, options }: HttpAttempt): HttpJobRequest | string {
  const url = urlOf({ executable, arguments: args });
  const lines = executable === urlInArguments ? args.slice(1) : args;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return `${url || executable} is no URL that begins with http:// or https://`;
  const body = options.body ?? stdin;
  const headers: Record<string, string> = { 'user-agent': 'Horarium', 'horarium-job': String(jobId) };
  for (const line of lines) {
    const [, name, value = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)$/s.exec(line) ?? [];
    if (name === undefined) return `the argument "${line}" is no header such as Accept: text/plain`;
    headers[name.toLowerCase()] = value;
  }
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = value;
  if (options.authorization) headers['authorization'] = options.authorization;
  const method = options.method ?? (body === null ? 'GET' : 'POST');
  return { url, method, headers, body, trusted: options.ca ?? null };
}

/** Returns why a job cannot be requested; null = it can. */
export function requestRefusal(attempt: HttpAttempt): StartRefusal | null {
  const request = requestOf(attempt);
  return typeof request === 'string' ? { exitCode: 127, reason: request } : null;
}

/**
 * Requests the URL of a job, and writes the body of the response to its output. The exit code is 0 for an expected status,
 * the first digit of another one, so that an App can declare what 4 and 5 mean, and 1 where there is no response.
 * @throws OutboundError when there is no response.
 */
export async function runHttpJob(
  http: OutboundHttp,
  attempt: HttpAttempt & Pick<AsyncAttempt, 'signal' | 'write' | 'timeout'>,
  maxDuration: number,
): Promise<AsyncOutcome> {
  const request = { ...(requestOf(attempt) as HttpJobRequest), signal: attempt.signal };
  // The executor stops an attempt at the timeout of its template.
  const timeout = attempt.timeout === null ? maxDuration : null;
  return http.send({ ...request, timeout }, async ({ status, headers, body }) => {
    for await (const chunk of body) await attempt.write(chunk);
    if (isExpected(status, attempt.options.status)) return { exitCode: 0 };
    const isRedirect = status >= 300 && status < 400 && headers['location'] !== undefined;
    return {
      exitCode: Math.floor(status / 100),
      reason: `the server answered ${status}${isRedirect ? '; no redirect is followed' : ''}`,
    };
  });
}

import { hookRoute } from '../../../plugins/event-source-webhook/hook-route.ts';
import { addressRoutes } from '../../../plugins/pings/address-routes.ts';
import { pingRoutes } from '../../../plugins/pings/ping-routes.ts';
import { isBeginningOfChanges } from './event-stream.ts';
import { HttpService } from './http-service.ts';
import type { OpenApiCheck } from './openapi-check.ts';

export type CheckedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Returns a `fetch` that compares each response with the OpenAPI document of the check.
 * @param mountPath the path that the API is mounted under; responses of other paths are not compared.
 */
export function fetchCheckedBy(check: OpenApiCheck, mountPath = ''): CheckedFetch {
  return async (url, init = {}) => {
    // A connection that is kept may be closed by the service at the moment at which a busy machine sends the next request.
    const headers = new Headers(init.headers);
    headers.set('connection', 'close');
    const response = await fetch(url, { ...init, headers });
    const { pathname, search } = new URL(url);
    if (!`${pathname}/`.startsWith(`${mountPath}/`)) return response;
    const path = `${pathname.slice(mountPath.length) || '/'}${search}`;
    const { status, body } = response;
    const received = Object.fromEntries(response.headers);
    const isStream = received['content-type'] === 'text/event-stream';
    const text = isStream && body ? await readStream(body) : await response.clone().text();
    check.check({ method: init.method ?? 'GET', path }, { status, headers: received, text });
    return isStream ? new Response(text, { status, headers: response.headers }) : response;
  };
}

/** Reads a stream to its end; of one that has none, the beginning. */
async function readStream(body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  let text = '';
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (isBeginningOfChanges('text/event-stream', text)) break;
  }
  return text;
}

/** Fetches what no document describes, such as files of plugins, as a browser does. */
export function fetchAsset(url: string | URL, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(url, { headers: { accept: 'text/html,*/*;q=0.8', connection: 'close', ...headers } });
}

const standard = new HttpService({
  sessions: true,
  extraRoutes: [...pingRoutes, ...addressRoutes, hookRoute],
  extraHeaders: ['ping-body-limit'],
});

/** Fetches, and compares the response with the OpenAPI document of the standard service. */
export const checkedFetch: CheckedFetch = fetchCheckedBy(standard.openApiCheck);

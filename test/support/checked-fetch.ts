import { HttpService } from './http-service.ts';

/** What the service as it is delivered says of itself. */
const { seen } = new HttpService();

/** The usual fetch; what comes back is held against the OpenAPI document. */
export async function checkedFetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init);
  const { pathname, search } = new URL(url);
  const text = await response.clone().text();
  const headers = Object.fromEntries(response.headers);
  seen.check({ method: init.method ?? 'GET', path: pathname + search }, { status: response.status, headers, text });
  return response;
}

import { HttpService } from './http-service.ts';

/** Compares responses with the OpenAPI document of the service as it is delivered. */
const { openApiCheck } = new HttpService();

/** Fetches, and compares the response with the OpenAPI document. */
export async function checkedFetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init);
  const { pathname, search } = new URL(url);
  const text = await response.clone().text();
  const headers = Object.fromEntries(response.headers);
  openApiCheck.check(
    { method: init.method ?? 'GET', path: pathname + search },
    { status: response.status, headers, text },
  );
  return response;
}

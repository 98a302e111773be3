import { HttpService } from './http-service.ts';
import type { OpenApiCheck } from './openapi-check.ts';

export type CheckedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Returns a `fetch` that compares each response with the OpenAPI document of the check. */
export function fetchCheckedBy(check: OpenApiCheck): CheckedFetch {
  return async (url, init = {}) => {
    const response = await fetch(url, init);
    const { pathname, search } = new URL(url);
    const text = await response.clone().text();
    const headers = Object.fromEntries(response.headers);
    check.check({ method: init.method ?? 'GET', path: pathname + search }, { status: response.status, headers, text });
    return response;
  };
}

/** Fetches, and compares the response with the OpenAPI document of the standard service. */
export const checkedFetch: CheckedFetch = fetchCheckedBy(new HttpService().openApiCheck);

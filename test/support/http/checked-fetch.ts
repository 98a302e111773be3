import { hookRoute } from '../../../plugins/event-source-webhook/hook-route.ts';
import { addressRoutes } from '../../../plugins/pings/address-routes.ts';
import { pingRoutes } from '../../../plugins/pings/ping-routes.ts';
import { HttpService } from './http-service.ts';
import type { OpenApiCheck } from './openapi-check.ts';

export type CheckedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Returns a `fetch` that compares each response with the OpenAPI document of the check.
 * @param mountPath the path that the API is mounted under; responses of other paths are not compared.
 */
export function fetchCheckedBy(check: OpenApiCheck, mountPath = ''): CheckedFetch {
  return async (url, init = {}) => {
    const response = await fetch(url, init);
    const { pathname, search } = new URL(url);
    if (!`${pathname}/`.startsWith(`${mountPath}/`)) return response;
    const path = `${pathname.slice(mountPath.length) || '/'}${search}`;
    const text = await response.clone().text();
    const headers = Object.fromEntries(response.headers);
    check.check({ method: init.method ?? 'GET', path }, { status: response.status, headers, text });
    return response;
  };
}

const standard = new HttpService({
  extraRoutes: [...pingRoutes, ...addressRoutes, hookRoute],
  extraHeaders: ['ping-body-limit'],
});

/** Fetches, and compares the response with the OpenAPI document of the standard service. */
export const checkedFetch: CheckedFetch = fetchCheckedBy(standard.openApiCheck);

import type { HttpRequest } from '@horarium/core';

/** The value of a header; several are joined as HTTP says. */
export function header(request: Pick<HttpRequest, 'headers'>, name: string): string | undefined {
  return request.headers[name]?.join(', ');
}

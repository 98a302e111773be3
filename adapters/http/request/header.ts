import type { HttpRequest } from '@horarium/core';

/** Returns the value of a header; joins several values with commas, as HTTP defines. */
export function header(request: Pick<HttpRequest, 'headers'>, name: string): string | undefined {
  return request.headers[name]?.join(', ');
}

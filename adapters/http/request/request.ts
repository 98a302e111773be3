import type { HttpRequest } from '@horarium/core';

/** Several values become so many headers of that name. */
export type ResponseHeaders = Readonly<Record<string, string | string[]>>;

export interface HttpResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** Null = nothing; pieces are sent as they come. */
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array> | null;
}

/** The one value of a header; several are joined as HTTP says. */
export function header(request: Pick<HttpRequest, 'headers'>, name: string): string | undefined {
  return request.headers[name]?.join(', ');
}

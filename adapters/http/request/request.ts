/** A request as any web framework can give it: plain data and a body that is read on demand. */
export interface HttpRequest {
  readonly method: string;
  /** The path as routed, `/api/v1/app/12.json`, without the query. */
  readonly path: string;
  /** What follows the question mark, as sent; empty when there is none. */
  readonly search: string;
  /** The values of the route's parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Every value of each header, by its name in small letters: two headers of one name stay two. */
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
  /** Whether this very connection is TLS. */
  readonly encrypted: boolean;
  /** The address of the other end of this very connection. */
  readonly peer: string;
  /** The bytes of the body as they come. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Aborts when the client has gone or the server closes. */
  readonly signal: AbortSignal;
}

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

import { isIP, type Socket } from 'node:net';
import type { Milliseconds } from '@horarium/core/plugin';
import type { buildConnector, Client } from 'undici';
import { AddressGuard } from './address-guard.ts';
import { guardedLookup, refusedHost } from './guarded-lookup.ts';
import { OutboundError, outboundError } from './outbound-error.ts';
import { type Resolve, tenantResolver } from './resolve.ts';

export interface OutboundRequest {
  /** http or https, without credentials. */
  readonly url: string;
  /** @default 'GET' */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** @default none */
  readonly body?: string | Uint8Array | null;
  /** The time that the request may take, from the resolution of the name to the last byte that is read. @default no limit */
  readonly timeout?: Milliseconds | null;
  readonly signal?: AbortSignal;
  /** Certificates of authorities, in PEM, which are trusted in place of the well-known ones. */
  readonly trusted?: string | null;
}

export interface OutboundResponse {
  readonly status: number;
  /** By their names in lower case; the values of those that occur several times are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it arrives, not decompressed; read as slowly as it is used. @throws OutboundError when it breaks off. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** A response with the beginning of its body. */
export interface BoundedResponse extends Pick<OutboundResponse, 'status' | 'headers'> {
  /** At most as many bytes as were asked for. */
  readonly body: Uint8Array;
  /** Whether the body was longer. */
  readonly cut: boolean;
}

export interface OutboundHttpOptions {
  /** Private addresses and CIDR blocks that requests may reach. @default none */
  readonly allowedNetworks?: readonly string[];
  /** @default `tenantResolver` with the name servers of this machine */
  readonly resolve?: Resolve;
}

/**
 * Sends the HTTP requests that tenants configure, to public addresses only: a literal address is judged before, every
 * answer of the name server as the socket asks for it. It follows no redirect, decompresses nothing, reads no proxy from
 * the environment, and has one connection a request.
 */
export class OutboundHttp {
  readonly #guard: AddressGuard;
  readonly #lookup: ReturnType<typeof guardedLookup>;

  /** @throws HorariumError `invalid` naming an allowed network that is none. */
  constructor({ allowedNetworks = [], resolve = tenantResolver() }: OutboundHttpOptions = {}) {
    this.#guard = new AddressGuard(allowedNetworks);
    this.#lookup = guardedLookup(this.#guard, resolve);
  }

  /**
   * Sends a request and hands its response over once the headers are there. The connection is closed when that is done,
   * whether or not the whole body was read.
   * @throws OutboundError when there is no response; whatever `receive` throws.
   */
  async send<T>(request: OutboundRequest, receive: (response: OutboundResponse) => Promise<T>): Promise<T> {
    const url = checkedUrl(request.url);
    const limit = request.timeout ?? null;
    const timeout = limit === null ? [] : [AbortSignal.timeout(limit)];
    const signal = AbortSignal.any([...timeout, ...(request.signal ? [request.signal] : [])]);
    const explained = (error: unknown) => {
      if (timeout[0]?.aborted && !request.signal?.aborted)
        return new OutboundError('timeout', `${url.host} did not respond within ${(limit as number) / 1000} s`);
      if (signal.aborted) return new OutboundError('aborted', `the request to ${url.host} was aborted`);
      return outboundError(url.host, error);
    };
    const client = await this.#connect(url, request, signal);
    try {
      const { statusCode, headers, body } = await explain(this.#request(client, url, request, signal), explained);
      return await receive({ status: statusCode, headers: joined(headers), body: explainedBody(body, explained) });
    } finally {
      await client.destroy();
    }
  }

  /** Sends a request and returns its response with at most that many bytes of the body. @throws OutboundError as `send`. */
  fetch(request: OutboundRequest, maxBytes: number): Promise<BoundedResponse> {
    return this.send(request, async ({ status, headers, body }) => {
      const chunks: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of body) {
        chunks.push(chunk);
        size += chunk.length;
        if (size > maxBytes) break;
      }
      return { status, headers, body: Buffer.concat(chunks).subarray(0, maxBytes), cut: size > maxBytes };
    });
  }

  #request(
    client: Client,
    url: URL,
    { method = 'GET', headers = {}, body = null }: OutboundRequest,
    signal: AbortSignal,
  ) {
    return client.request({
      path: url.pathname + url.search,
      // undici has a list of the known ones in its types.
      method: method as 'GET',
      headers,
      body,
      signal,
    });
  }

  async #connect(url: URL, { trusted = null }: OutboundRequest, signal: AbortSignal): Promise<Client> {
    // Imported when first used, because the library is a sixth of what a service would load at its start.
    const { buildConnector, Client } = await import('undici');
    const connect = buildConnector({
      lookup: this.#lookup,
      allowH2: false,
      maxCachedSessions: 0,
      ...(trusted !== null && { ca: trusted }),
    } as buildConnector.BuildOptions) as Connect;
    return new Client(url.origin, {
      pipelining: 0,
      // The timeout of the request holds for all of it.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (options, callback) => {
        // A socket asks no lookup for a literal address.
        const literal = options.hostname.replace(/^\[(.*)\]$/, '$1');
        if (isIP(literal) !== 0 && !this.#guard.allows(literal)) return callback(refusedHost(literal), null);
        const socket = connect(options, callback);
        // Otherwise the client would wait for a name server or a handshake that hangs.
        signal.addEventListener('abort', () => socket.destroy(signal.reason), { once: true });
      },
    });
  }
}

/** A connector of undici, whose types hide the socket that it returns. */
type Connect = (...args: Parameters<buildConnector.connector>) => Socket;

/** @throws OutboundError `invalid`. */
function checkedUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new OutboundError('invalid', 'the URL must begin with http:// or https:// and be complete');
  if (url.username !== '' || url.password !== '')
    throw new OutboundError('invalid', 'the URL must not hold credentials; a header can');
  return url;
}

async function explain<T>(promise: Promise<T>, explained: (error: unknown) => Error): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    throw explained(error);
  }
}

async function* explainedBody(
  body: AsyncIterable<Uint8Array>,
  explained: (error: unknown) => Error,
): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await explain(chunks.next(), explained);
      if (done) return;
      yield value;
    }
  } finally {
    await chunks.return?.();
  }
}

function joined(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as const],
  );
  return Object.fromEntries(entries);
}

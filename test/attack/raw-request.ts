import { type OutgoingHttpHeaders, request } from 'node:http';
import type { Target } from './target.ts';

interface RawRequest {
  /** @default GET */
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
}

interface RawReply {
  readonly status: number;
  readonly text: string;
}

/** Sends a path of the service as it is, which `fetch` would shorten, over a connection of its own. */
export function sendRaw(
  { url }: Target,
  path: string,
  { method = 'GET', headers }: RawRequest = {},
): Promise<RawReply> {
  const { hostname, port } = new URL(url);
  const options = { hostname, port, path, method, agent: false, headers: { accept: '*/*', ...headers } } as const;
  return new Promise((resolve, reject) => {
    const outgoing = request(options, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString() }));
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

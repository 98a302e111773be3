// No named import: an older Node, which lacks `hash`, would fail to link this module before it is refused.
import crypto from 'node:crypto';
import type { HttpRequest } from '@horarium/core';
import type { HttpResponse, ResponseHeaders } from '../reply/response.ts';
import { preferredEncoding } from '../request/accept.ts';
import { isUnchanged } from '../request/preconditions.ts';

/** The endings of the files that hold an encoding of another file, by encoding, the preferred one first. */
export const encodingEndings = { br: '.br', gzip: '.gz', identity: '' } as const;
export type AssetEncoding = keyof typeof encodingEndings;

interface Representation {
  readonly content: Uint8Array;
  readonly tag: string;
}

/** A file in memory, with its encodings. */
export class AssetFile {
  readonly #headers: ResponseHeaders;
  readonly #type: string;
  readonly #representations: ReadonlyMap<string, Representation>;

  /**
   * @param contents by encoding, the preferred one first; one of them is `identity`.
   * @param headers of each response, a 304 too.
   */
  constructor(type: string, contents: ReadonlyMap<AssetEncoding, Uint8Array>, headers: ResponseHeaders) {
    this.#type = type;
    this.#headers = headers;
    this.#representations = new Map(
      [...contents].map(([encoding, content]) => [encoding, { content, tag: tagOf(content) }]),
    );
  }

  /** Answers a GET, whose body HEAD leaves out: 304 where the client has this file already. */
  respond(request: HttpRequest): HttpResponse {
    // A client that takes no encoding at all gets the file as it is (RFC 9110, 12.5.3).
    const encoding = preferredEncoding(request, [...this.#representations.keys()]) ?? 'identity';
    const { content, tag } = this.#representations.get(encoding) as Representation;
    const headers = { ...this.#headers, ETag: tag };
    if (isUnchanged(request, tag)) return { status: 304, headers, body: null };
    const encoded = encoding === 'identity' ? {} : { 'Content-Encoding': encoding };
    return { status: 200, headers: { ...headers, ...encoded, 'Content-Type': this.#type }, body: content };
  }
}

function tagOf(content: Uint8Array): string {
  return `"${crypto.hash('sha256', content, 'base64url')}"`;
}

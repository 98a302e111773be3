// No named import: an older Node, which lacks `hash`, would fail to link this module before it is refused.
import crypto from 'node:crypto';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { HttpRequest } from '@horarium/core';
import { preferredEncoding } from '../request/accept.ts';
import { isUnchanged } from '../request/preconditions.ts';
import { type HttpResponse, isStream } from './response.ts';

const gzip = promisify(zlib.gzip);

/**
 * Gives a response an entity tag of its bytes: a request that has this one gets 304 without them. Else they are compressed
 * where the client takes that.
 */
export async function conditionalResponse(request: HttpRequest, response: HttpResponse): Promise<HttpResponse> {
  const { body } = response;
  if (body === null || isStream(body)) return response;
  const encoding = preferredEncoding(request, ['gzip', 'identity']) === 'gzip' ? 'gzip' : null;
  const hash = crypto.hash('sha256', body, 'base64url');
  // The bytes of two encodings differ, and so do their tags.
  const tag = encoding === null ? `"${hash}"` : `"${hash}-${encoding}"`;
  const headers = { ...response.headers, ETag: tag, 'Cache-Control': 'private, no-cache', Vary: 'Accept-Encoding' };
  if (isUnchanged(request, tag)) {
    const { 'Content-Type': _type, ...kept } = headers as HttpResponse['headers'];
    return { status: 304, headers: kept, body: null };
  }
  if (encoding === null) return { ...response, headers };
  return { ...response, headers: { ...headers, 'Content-Encoding': encoding }, body: await gzip(body) };
}

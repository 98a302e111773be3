// No named import: an older Node, which lacks `hash`, would fail to link this module before it is refused.
import crypto from 'node:crypto';
import type { HttpRequest } from '@horarium/core';
import { isUnchanged } from '../request/preconditions.ts';
import { compressedResponse, compressionFor } from './compressed.ts';
import { type HttpResponse, isStream } from './response.ts';

/**
 * Gives a response an entity tag of its bytes: a request that has this one gets 304 without them. Else they are compressed
 * where the client takes that.
 */
export async function conditionalResponse(request: HttpRequest, response: HttpResponse): Promise<HttpResponse> {
  const { body } = response;
  if (body === null || isStream(body)) return response;
  const encoding = compressionFor(request);
  const hash = crypto.hash('sha256', body, 'base64url');
  // The bytes of two encodings differ, and so do their tags.
  const tag = encoding === null ? `"${hash}"` : `"${hash}-${encoding}"`;
  const headers = { ...response.headers, ETag: tag, 'Cache-Control': 'private, no-cache', Vary: 'Accept-Encoding' };
  if (!isUnchanged(request, tag)) return compressedResponse(request, { ...response, headers });
  const { 'Content-Type': _type, ...kept } = headers as HttpResponse['headers'];
  return { status: 304, headers: kept, body: null };
}

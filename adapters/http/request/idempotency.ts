// No named import: an older Node, which lacks `hash`, would fail to link this module before it is refused.
import crypto from 'node:crypto';
import {
  type Actor,
  badRequest,
  type HttpRequest,
  type IdempotentRequest,
  ReplayedResponse,
  requestInFlight,
  type StoredResponse,
} from '@horarium/core';
import type { HttpResponse } from '../reply/response.ts';
import { header } from './header.ts';

/**
 * Returns the scope and the fingerprint of a request that carries an `Idempotency-Key`; null when it carries none.
 * @throws HorariumError `bad_request` for a key that is empty, too long, or holds anything but visible ASCII.
 */
export function idempotentRequestOf(request: HttpRequest, actor: Actor, body: string): IdempotentRequest | null {
  const key = header(request, 'idempotency-key');
  if (key === undefined) return null;
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw badRequest('Idempotency-Key must be 1 to 255 visible ASCII characters without spaces.');
  const { method, path, search } = request;
  return {
    scope: digest([actor.userId, method, path.replace(/\/$/, ''), key]),
    fingerprint: digest([search, header(request, 'content-type') ?? null, body]),
  };
}

function digest(parts: readonly unknown[]): string {
  return crypto.hash('sha256', JSON.stringify(parts), 'hex');
}

/**
 * The requests with an idempotency key that are in flight in this process. `IdempotencyKeys.claim` locks the
 * key on every host, but only in the transaction of the change: an equal request in this process is refused before it
 * verifies a password or connects anywhere, and also on a store in memory, where a lock is never refused.
 */
export class RequestsInFlight {
  readonly #scopes = new Set<string>();

  /**
   * Carries a request out, unless an equal one is in flight.
   * @returns the stored response of an equal one that another host carried out meanwhile.
   * @throws IdempotencyConflict when it is.
   */
  async run({ scope }: IdempotentRequest, work: () => Promise<HttpResponse>): Promise<HttpResponse> {
    if (this.#scopes.has(scope)) throw requestInFlight();
    this.#scopes.add(scope);
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ReplayedResponse)) throw error;
      return replayed(error.response);
    } finally {
      this.#scopes.delete(scope);
    }
  }
}

/** Makes the response to a repeated request. */
export function replayed({ status, headers, body }: StoredResponse): HttpResponse {
  return { status, headers: { ...headers, 'Idempotency-Replayed': 'true' }, body };
}

/** @throws Error for a response that is streamed, because it cannot be stored. */
export function storedResponse({ status, headers, body }: HttpResponse): StoredResponse {
  if (typeof body === 'object' && body !== null && !(body instanceof Uint8Array))
    throw new Error('A streamed response cannot be stored under an idempotency key.');
  return { status, headers, body: typeof body === 'string' ? new TextEncoder().encode(body) : body };
}

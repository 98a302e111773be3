import { hash } from 'node:crypto';
import {
  type Actor,
  badRequest,
  type Core,
  type HttpRequest,
  IdempotencyConflict,
  type IdempotentRequest,
  ReplayedResponse,
  type Reply,
  type StoredResponse,
  type Tables,
  type TransactionHooks,
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
  return hash('sha256', JSON.stringify(parts), 'hex');
}

/** The requests with an idempotency key that are in flight in this process. */
export class RequestsInFlight {
  readonly #scopes = new Set<string>();

  /**
   * Carries a request out. Returns the stored response where `work` finds that the request was carried out before.
   * @throws IdempotencyConflict when a request with the same key is in flight.
   */
  async run({ scope }: IdempotentRequest, work: () => Promise<HttpResponse>): Promise<HttpResponse> {
    if (this.#scopes.has(scope))
      throw new IdempotencyConflict('A request with this Idempotency-Key is still in flight.');
    this.#scopes.add(scope);
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ReplayedResponse)) throw error;
      const { status, headers, body } = error.response;
      return { status, headers: { ...headers, 'Idempotency-Replayed': 'true' }, body };
    } finally {
      this.#scopes.delete(scope);
    }
  }
}

/** A change that is made in one transaction together with its reply. */
export interface ChangeWithReply<T> {
  readonly keys: Core['idempotencyKeys'];
  readonly actor: Actor;
  /** Null where the request carries no key, so that nothing is stored. */
  readonly idempotentRequest: IdempotentRequest | null;
  change(hooks: TransactionHooks<T>): Promise<T>;
  makeReply(tables: Tables, result: T): Promise<Reply> | Reply;
  /** Writes the reply in the format of the request. */
  write(reply: Reply): Promise<HttpResponse>;
}

/**
 * Makes a change and stores its response under the idempotency key in the same transaction: either both are there
 * afterwards or neither. Errors are not stored, so a request that failed may be sent again.
 * @throws ReplayedResponse in place of a second change.
 */
export async function changeWithReply<T>({
  keys,
  actor,
  idempotentRequest,
  change,
  makeReply,
  write,
}: ChangeWithReply<T>): Promise<Reply> {
  let reply: Reply = {};
  await change({
    afterBegin: async (tables) => {
      if (idempotentRequest) await keys.claim(tables, actor, idempotentRequest);
    },
    beforeCommit: async (tables, result) => {
      reply = await makeReply(tables, result);
      if (!idempotentRequest) return;
      const response = storedResponse(await write(reply));
      await keys.store(tables, actor, idempotentRequest, response, reply.subject ?? null);
    },
  });
  return reply;
}

/** @throws Error for a response that is streamed, because it cannot be stored. */
function storedResponse({ status, headers, body }: HttpResponse): StoredResponse {
  if (typeof body === 'object' && body !== null && !(body instanceof Uint8Array))
    throw new Error('A streamed response cannot be stored under an idempotency key.');
  return { status, headers, body: typeof body === 'string' ? new TextEncoder().encode(body) : body };
}

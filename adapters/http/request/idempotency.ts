import { hash } from 'node:crypto';
import {
  type Actor,
  badRequest,
  type HttpRequest,
  IdempotencyConflict,
  type IdempotencyKeys,
  type IdempotentRequest,
  ReplayedResponse,
  type StoredResponse,
} from '@horarium/core';
import { isExpected, statusOf } from '../reply/problems.ts';
import { type HttpResponse, header } from './request.ts';

/** Refusals that say nothing about the request itself: it may well succeed when it is sent again. */
const passing: ReadonlySet<number> = new Set([401, 403, 429]);

/**
 * What a request is known by that carries an `Idempotency-Key`; null when it carries none.
 * @throws HttpProblem `bad_request` for a key that is empty, too long, or holds anything but visible ASCII.
 */
export function idempotentRequestOf(request: HttpRequest, actor: Actor, body: string): IdempotentRequest | null {
  const key = header(request, 'idempotency-key');
  if (key === undefined) return null;
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw badRequest('Idempotency-Key must be 1 to 255 visible ASCII characters without spaces.');
  const { method, path, search } = request;
  return {
    scope: digest([actor.userId, method, path.replace(/\/$/, ''), key]),
    content: digest([search, header(request, 'content-type') ?? null, body]),
  };
}

function digest(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'hex');
}

/** Sees to it that a request which is sent again is answered as it was the first time. */
export class IdempotentRequests {
  readonly #repeats: Pick<IdempotencyKeys, 'keepRefusal'>;
  readonly #underWay = new Set<string>();

  constructor(repeats: Pick<IdempotencyKeys, 'keepRefusal'>) {
    this.#repeats = repeats;
  }

  /**
   * @param work carries the request out; it keeps its answer in the transaction of its change.
   * @param refusal an error as an answer.
   */
  async answer(
    once: IdempotentRequest,
    work: () => Promise<HttpResponse>,
    refusal: (error: unknown) => HttpResponse,
  ): Promise<HttpResponse> {
    const { scope } = once;
    if (this.#underWay.has(scope))
      throw new IdempotencyConflict('A request with this Idempotency-Key is being carried out at this moment.');
    this.#underWay.add(scope);
    try {
      return await work();
    } catch (error) {
      if (error instanceof ReplayedResponse) return again(error.answer);
      if (!isLasting(error)) throw error;
      const answer = refusal(error);
      await this.#repeats.keepRefusal(once, storedResponse(answer));
      return answer;
    } finally {
      this.#underWay.delete(scope);
    }
  }
}

/** An answer as it is kept. @throws Error for one that is sent as it comes. */
export function storedResponse({ status, headers, body }: HttpResponse): StoredResponse {
  if (typeof body === 'object' && body !== null && !(body instanceof Uint8Array))
    throw new Error('An answer that is sent as it comes cannot be kept.');
  return { status, headers, body: typeof body === 'string' ? new TextEncoder().encode(body) : body };
}

function again({ status, headers, body }: StoredResponse): HttpResponse {
  return { status, headers: { ...headers, 'Idempotency-Replayed': 'true' }, body };
}

function isLasting(error: unknown): boolean {
  if (!isExpected(error) || error instanceof IdempotencyConflict) return false;
  const status = statusOf(error.code);
  return status < 500 && !passing.has(status);
}

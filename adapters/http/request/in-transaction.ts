import type { Actor, Core, IdempotentRequest, Reply, Tables, TransactionHooks } from '@horarium/core';
import { storedResponse } from './idempotency.ts';
import type { HttpResponse } from './request.ts';

/**
 * Makes a change with its answer in one transaction. With `once` it is looked first whether that was done before, and
 * the answer is kept in the same transaction.
 * @throws Repeated when it was.
 */
export async function inTransaction<T>(
  { repeats }: Pick<Core, 'repeats'>,
  actor: Actor,
  once: IdempotentRequest | null,
  write: (reply: Reply) => Promise<HttpResponse>,
  make: (hooks: TransactionHooks<T>) => Promise<T>,
  reply: (tables: Tables, result: T) => Promise<Reply> | Reply,
): Promise<Reply> {
  let replied: Reply = {};
  await make({
    before: async (tables) => {
      if (once) await repeats.begin(tables, actor, once);
    },
    after: async (tables, result) => {
      replied = await reply(tables, result);
      if (once) await repeats.keep(tables, once, storedResponse(await write(replied)), replied.subject ?? null);
    },
  });
  return replied;
}

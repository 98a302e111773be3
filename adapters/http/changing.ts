import type { Actor, Around, Once, Tables } from '@horarium/core';
import type { HttpCore } from './http-core.ts';
import { keptAnswer } from './once-only.ts';
import type { HttpAnswer } from './request.ts';
import type { Reply } from './routes.ts';

/**
 * Makes a change with its answer in one transaction. With `once` it is looked first whether that was done before, and
 * the answer is kept in the same transaction.
 * @throws Repeated when it was.
 */
export async function changing<T>(
  { repeats }: Pick<HttpCore, 'repeats'>,
  actor: Actor,
  once: Once | null,
  write: (reply: Reply) => Promise<HttpAnswer>,
  make: (around: Around<T>) => Promise<T>,
  reply: (tables: Tables, result: T) => Promise<Reply> | Reply,
): Promise<Reply> {
  let replied: Reply = {};
  await make({
    before: async (tables) => {
      if (once) await repeats.begin(tables, actor, once);
    },
    after: async (tables, result) => {
      replied = await reply(tables, result);
      if (once) await repeats.keep(tables, once, keptAnswer(await write(replied)), replied.subject ?? null);
    },
  });
  return replied;
}

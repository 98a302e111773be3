import type { EventSubscriber, TransactionEventArgs } from '@mikro-orm/core';
import type { SqlTransaction } from '../dialect.ts';

/**
 * Keeps what a store writes inside the transactions of an application. A transaction does not commit while a call of the
 * store still runs in it, because half of what that writes would be committed; and no statement runs after the end of one,
 * because it would be committed by itself.
 */
export class OpenTransactions implements EventSubscriber {
  readonly #ended = new WeakSet<object>();
  readonly #running = new WeakMap<object, number>();

  /** @throws Error when the transaction has ended. */
  async run<T>(transaction: object, work: () => Promise<T>): Promise<T> {
    this.#assertOpen(transaction);
    this.#count(transaction, 1);
    try {
      return await work();
    } finally {
      this.#count(transaction, -1);
    }
  }

  /** Returns a transaction whose every statement is refused once the application's has ended. */
  guard(transaction: object, statements: SqlTransaction): SqlTransaction {
    const whileOpen = <Arguments extends unknown[], Result>(execute: (...values: Arguments) => Result) => {
      return (...values: Arguments): Result => {
        this.#assertOpen(transaction);
        return execute(...values);
      };
    };
    return {
      run: whileOpen((sql, parameters) => statements.run(sql, parameters)),
      now: whileOpen(() => statements.now()),
      tryLock: whileOpen((name) => statements.tryLock(name)),
      ...(statements.beforeWrite && { beforeWrite: whileOpen(async () => statements.beforeWrite?.()) }),
    };
  }

  async beforeTransactionCommit({ transaction }: TransactionEventArgs): Promise<void> {
    const ending = transaction as object;
    if (this.#running.has(ending))
      throw new Error(
        'The transaction is not committed, because a call within it has not ended: await every call of core.with(store.within(em)).',
      );
    this.#ended.add(ending);
  }

  async beforeTransactionRollback({ transaction }: TransactionEventArgs): Promise<void> {
    this.#ended.add(transaction as object);
  }

  #count(transaction: object, change: 1 | -1): void {
    const running = (this.#running.get(transaction) ?? 0) + change;
    if (running === 0) this.#running.delete(transaction);
    else this.#running.set(transaction, running);
  }

  #assertOpen(transaction: object): void {
    if (this.#ended.has(transaction))
      throw new Error('The transaction of the application has ended: call core.with(store.within(em)) before its end.');
  }
}

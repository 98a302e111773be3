import type { EventSubscriber, TransactionEventArgs } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { DatabaseConnection, Transaction } from 'kysely';

/** A transaction of MikroORM as its events carry it; nested ones are savepoints, numbered by their depth. */
export type OrmTransaction = Transaction<unknown> & { readonly index?: number };

interface PendingCallback {
  /** The depth of the transaction in which it was added; 0 = the outermost. */
  readonly depth: number;
  readonly callback: () => void;
}

/**
 * Keeps what a store writes inside the transactions of an application. A transaction does not commit while a call of the
 * store still runs in it, because half of what that writes would be committed; and no statement runs after the end of one,
 * because it would be committed by itself. Callbacks run once the outermost transaction has committed; those of a savepoint
 * that was rolled back are dropped.
 */
export class ApplicationTransactions implements EventSubscriber {
  readonly #ended = new WeakSet<object>();
  /** How many calls of the store run in each transaction. */
  readonly #running = new WeakMap<object, number>();
  readonly #callbacks = new Map<DatabaseConnection, PendingCallback[]>();
  /** The connections of transactions that are about to end: afterwards they cannot be asked for it. */
  readonly #ending = new WeakMap<object, DatabaseConnection>();

  /** Listens to the transactions of an entity manager, and of those that MikroORM forks from it. */
  listenTo(em: SqlEntityManager): void {
    em.getEventManager().registerSubscriber(this);
    // Forks with an event manager of their own (`freshEventManager`) have the subscribers of the configuration.
    em.config.set('subscribers', new Set(em.config.get('subscribers')).add(this));
  }

  /** @throws Error when the transaction has ended. */
  async run<T>(transaction: OrmTransaction, work: () => Promise<T>): Promise<T> {
    this.assertOpen(transaction);
    this.#count(transaction, 1);
    try {
      return await work();
    } finally {
      this.#count(transaction, -1);
    }
  }

  /** @throws Error when the transaction has ended. */
  assertOpen(transaction: OrmTransaction): void {
    if (this.#ended.has(transaction))
      throw new Error('The transaction of the application has ended: call core.with(store.within(em)) before its end.');
  }

  /** Calls back once the outermost transaction on the connection has committed. */
  afterCommit(connection: DatabaseConnection, { index = 0 }: OrmTransaction, callback: () => void): void {
    const pending = this.#callbacks.get(connection) ?? [];
    pending.push({ depth: index, callback });
    this.#callbacks.set(connection, pending);
  }

  async beforeTransactionCommit({ transaction }: TransactionEventArgs): Promise<void> {
    if (this.#running.has(transaction as object))
      throw new Error(
        'The transaction is not committed, because a call within it has not ended: await every call of core.with(store.within(em)).',
      );
    await this.#end(transaction as OrmTransaction);
  }

  async beforeTransactionRollback({ transaction }: TransactionEventArgs): Promise<void> {
    await this.#end(transaction as OrmTransaction);
  }

  /** Never throws: an error of a subscriber would reject a transaction that is committed. */
  async afterTransactionCommit({ transaction }: TransactionEventArgs): Promise<void> {
    const { depth, pending, keep } = this.#take(transaction as OrmTransaction);
    if (depth > 0) keep(pending.map((each) => ({ ...each, depth: Math.min(each.depth, depth - 1) })));
    else for (const { callback } of pending) callback();
  }

  async afterTransactionRollback({ transaction }: TransactionEventArgs): Promise<void> {
    const { depth, pending, keep } = this.#take(transaction as OrmTransaction);
    keep(pending.filter((each) => each.depth < depth));
  }

  /** Takes the callbacks of the connection on which a transaction has ended. */
  #take(transaction: OrmTransaction) {
    const { index: depth = 0 } = transaction;
    const connection = this.#ending.get(transaction);
    const pending = (connection && this.#callbacks.get(connection)) ?? [];
    if (connection) this.#callbacks.delete(connection);
    const keep = (left: PendingCallback[]) => {
      if (connection && left.length > 0) this.#callbacks.set(connection, left);
    };
    return { depth, pending, keep };
  }

  async #end(transaction: OrmTransaction): Promise<void> {
    this.#ended.add(transaction);
    if (this.#callbacks.size === 0) return;
    const connection = await connectionOf(transaction).catch(() => undefined);
    if (connection) this.#ending.set(transaction, connection);
  }

  #count(transaction: object, change: 1 | -1): void {
    const running = (this.#running.get(transaction) ?? 0) + change;
    if (running === 0) this.#running.delete(transaction);
    else this.#running.set(transaction, running);
  }
}

/** Returns the connection on which a transaction runs. */
export function connectionOf(transaction: OrmTransaction): Promise<DatabaseConnection> {
  return transaction.getExecutor().provideConnection(async (connection) => connection);
}

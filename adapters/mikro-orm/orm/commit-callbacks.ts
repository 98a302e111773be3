import type { EventSubscriber, TransactionEventArgs } from '@mikro-orm/core';
import type { DatabaseConnection, Transaction } from 'kysely';

/** A transaction of MikroORM as its events carry it; nested ones are savepoints, numbered by their depth. */
export type OrmTransaction = Transaction<unknown> & { readonly index?: number };

interface Pending {
  /** The depth of the transaction in which it was added; 0 = the outermost. */
  depth: number;
  readonly callback: () => void;
}

/**
 * Runs callbacks once the outermost transaction of an application has committed, and drops those of a savepoint that was
 * rolled back. It never throws: an error of a subscriber would reject a transaction that is committed.
 */
export class CommitCallbacks implements EventSubscriber {
  readonly #pending = new Map<DatabaseConnection, Pending[]>();
  /** The connections of transactions that are about to end: afterwards they cannot be asked for it. */
  readonly #ending = new WeakMap<object, DatabaseConnection>();

  add(connection: DatabaseConnection, transaction: OrmTransaction, callback: () => void): void {
    const pending = this.#pending.get(connection) ?? [];
    pending.push({ depth: depthOf(transaction), callback });
    this.#pending.set(connection, pending);
  }

  async beforeTransactionCommit({ transaction }: TransactionEventArgs): Promise<void> {
    await this.#remember(transaction as OrmTransaction);
  }

  async beforeTransactionRollback({ transaction }: TransactionEventArgs): Promise<void> {
    await this.#remember(transaction as OrmTransaction);
  }

  async afterTransactionCommit({ transaction }: TransactionEventArgs): Promise<void> {
    const ended = this.#take(transaction as OrmTransaction);
    if (!ended) return;
    const { connection, depth, pending } = ended;
    if (depth > 0) {
      for (const each of pending) each.depth = Math.min(each.depth, depth - 1);
      return;
    }
    this.#pending.delete(connection);
    for (const { callback } of pending) callback();
  }

  async afterTransactionRollback({ transaction }: TransactionEventArgs): Promise<void> {
    const ended = this.#take(transaction as OrmTransaction);
    if (!ended) return;
    const { connection, depth, pending } = ended;
    const left = pending.filter((each) => each.depth < depth);
    if (left.length === 0) this.#pending.delete(connection);
    else this.#pending.set(connection, left);
  }

  async #remember(transaction: OrmTransaction): Promise<void> {
    if (this.#pending.size === 0) return;
    const connection = await connectionUnder(transaction).catch(() => undefined);
    if (connection) this.#ending.set(transaction, connection);
  }

  #take(transaction: OrmTransaction) {
    const connection = this.#ending.get(transaction);
    const pending = connection && this.#pending.get(connection);
    return pending && { connection, depth: depthOf(transaction), pending };
  }
}

/** Returns the connection on which a transaction runs. */
function connectionUnder(transaction: OrmTransaction): Promise<DatabaseConnection> {
  return transaction.getExecutor().provideConnection(async (connection) => connection);
}

function depthOf({ index = 0 }: OrmTransaction): number {
  return index;
}

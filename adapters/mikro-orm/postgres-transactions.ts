import { CompiledQuery, type Kysely } from 'kysely';
import type { Runner } from './sql-dialect.ts';
import type { Transactions } from './sql-store.ts';

/** Transactions side by side, each on a connection of its own. */
export class PostgresTransactions implements Transactions {
  readonly oneAtATime = false;
  readonly #kysely: Kysely<unknown>;

  constructor(kysely: Kysely<unknown>) {
    this.#kysely = kysely;
  }

  run<T>(readOnly: boolean, work: (runner: Runner) => Promise<T>): Promise<T> {
    const transaction = this.#kysely.transaction();
    // Readers see one moment throughout, as they do in the stores that run one transaction at a time.
    const begun = readOnly ? transaction.setIsolationLevel('repeatable read').setAccessMode('read only') : transaction;
    return begun.execute((open) =>
      work({
        async run(sql, parameters) {
          const answer = await open.executeQuery(CompiledQuery.raw(sql, [...parameters]));
          return { rows: answer.rows as Record<string, unknown>[], affected: Number(answer.numAffectedRows ?? 0) };
        },
      }),
    );
  }
}

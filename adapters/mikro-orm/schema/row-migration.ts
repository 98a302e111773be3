import { setImmediate as nextTurn } from 'node:timers/promises';
import { Migration } from '@mikro-orm/migrations';
import { CompiledQuery, type ControlledTransaction } from 'kysely';
import { tellProgress } from './progress.ts';

type Row = Readonly<Record<string, unknown>> & { readonly id: number };

/**
 * A migration that changes rows by code, in the transaction of all migrations. Its `up` awaits `eachBatch`; statements of
 * `addSql` run after it, so that a column that it fills is added by a migration before.
 */
export abstract class RowMigration extends Migration {
  abstract override up(): Promise<void>;

  /**
   * Reads the rows of a table in the order of their ids, and works on one batch of them after another. Says how far it is
   * after each tenth of the rows.
   * @param columns the columns to read besides the id.
   */
  protected async eachBatch(
    table: string,
    columns: readonly string[],
    work: (rows: readonly Row[]) => Promise<void>,
    size = 500,
  ): Promise<void> {
    const names = ['id', ...columns].map((column) => `"${column}"`).join(', ');
    const [{ count } = { count: 0 }] = await this.run(`select count(*) as "count" from ${table}`);
    const total = Number(count);
    let done = 0;
    let last = 0;
    for (;;) {
      const sql = `select ${names} from ${table} where "id" > ${last} order by "id" limit ${size}`;
      const rows = (await this.run(sql)).map((row) => ({ ...row, id: Number(row['id']) }));
      if (rows.length === 0) return;
      await work(rows);
      const tenths = Math.floor((10 * done) / total);
      done += rows.length;
      last = rows.at(-1)?.id ?? last;
      if (Math.floor((10 * done) / total) > tenths) tellProgress(this.config, `${done} of ${total} rows of ${table}`);
      await nextTurn();
    }
  }

  /** Runs a statement whose parameters are bound, `?` on SQLite and `$1` on PostgreSQL. @returns its rows. */
  protected async run(sql: string, parameters: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    const transaction = this.ctx as ControlledTransaction<unknown>;
    return (await transaction.executeQuery<Record<string, unknown>>(CompiledQuery.raw(sql, [...parameters]))).rows;
  }
}

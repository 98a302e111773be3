import { CompiledQuery, type DatabaseConnection } from 'kysely';
import type { SqlResult } from '../dialect.ts';

/** Runs statements on a connection of an application's own MikroORM, whatever driver it has. */
export class ApplicationConnection {
  readonly #connection: DatabaseConnection;
  #last: Promise<unknown> = Promise.resolve();

  constructor(connection: DatabaseConnection) {
    this.#connection = connection;
  }

  /** Sends statements one after another: the drivers of applications take one at a time. */
  run(sql: string, parameters: readonly unknown[]): Promise<SqlResult> {
    const result = this.#last.then(() => this.#execute(sql, parameters));
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #execute(sql: string, parameters: readonly unknown[]): Promise<SqlResult> {
    const {
      rows,
      numAffectedRows = 0n,
      insertId,
    } = await this.#connection.executeQuery<Record<string, unknown>>(CompiledQuery.raw(sql, [...parameters]));
    return {
      rows,
      affected: Number(numAffectedRows),
      insertedId: insertId === undefined ? undefined : Number(insertId),
    };
  }
}

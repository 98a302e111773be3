import type { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sqlite';
import type { Database } from 'better-sqlite3';
import { CompiledQuery, type DatabaseConnection } from 'kysely';
import { Order, openShop } from '../../support/store/shop-orm.ts';
import type { BenchDatabase } from './databases.ts';

/** Schedules a job for an order in the open transaction of the entity manager. */
export type ScheduleWithin = (em: SqlEntityManager, orderId: number) => Promise<unknown>;

/** An application with a MikroORM of its own, whose orders are in the database of the store. */
export class Shop implements AsyncDisposable {
  readonly orm: MikroORM;
  readonly #statements: { count: number };

  private constructor(orm: MikroORM, statements: { count: number }) {
    this.orm = orm;
    this.#statements = statements;
  }

  static async open({ url, synchronous }: BenchDatabase): Promise<Shop> {
    const statements = { count: 0 };
    const isSqlite = url.startsWith('sqlite:');
    const onCreateConnection = async (created: unknown) => {
      const connection = created as DatabaseConnection;
      if (isSqlite) await connection.executeQuery(CompiledQuery.raw(`pragma synchronous = ${synchronous}`));
      else countStatements(connection, statements);
    };
    const orm = await openShop(url, { onCreateConnection });
    if (isSqlite) countPrepared((await orm.em.getConnection().getNativeClient()) as Database, statements);
    await orm.schema.update();
    return new Shop(orm, statements);
  }

  /** How many statements the application has sent, those of its transactions and those of what schedules in them. */
  get statements(): number {
    return this.#statements.count;
  }

  /** Places an order in a transaction, and schedules a job in it. */
  async order(schedule: ScheduleWithin | null): Promise<void> {
    await (this.orm.em as SqlEntityManager).fork().transactional(async (em) => {
      const placed = em.create(Order, { customer: 'Jane' });
      await em.flush();
      await schedule?.(em, placed.id);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.orm.close();
  }
}

function countStatements(connection: DatabaseConnection, statements: { count: number }): void {
  const execute = connection.executeQuery.bind(connection);
  connection.executeQuery = (...query) => {
    statements.count += 1;
    return execute(...query);
  };
}

/** Counts the statements that run on a handle of SQLite: the store runs its own there, and not by Kysely's connection. */
function countPrepared(handle: Database, statements: { count: number }): void {
  const prepare = handle.prepare.bind(handle);
  handle.prepare = ((sql: string) => {
    const statement = prepare(sql);
    for (const method of ['all', 'run'] as const) {
      const execute = statement[method].bind(statement);
      statement[method] = ((...parameters: unknown[]) => {
        statements.count += 1;
        return execute(...parameters);
      }) as never;
    }
    return statement;
  }) as typeof handle.prepare;
}

import type { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sqlite';
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
    const onCreateConnection = async (created: unknown) => {
      const connection = created as DatabaseConnection;
      if (url.startsWith('sqlite:'))
        await connection.executeQuery(CompiledQuery.raw(`pragma synchronous = ${synchronous}`));
      countStatements(connection, statements);
    };
    const orm = await openShop(url, { onCreateConnection });
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

import { EntitySchema, type MikroORM, type Options } from '@mikro-orm/core';
import { MikroORM as PostgresOrm } from '@mikro-orm/postgresql';
import { MikroORM as SqliteOrm } from '@mikro-orm/sqlite';

/** An entity of an application that keeps it in the database of the store. */
export interface Order {
  id: number;
  customer: string;
}
export const Order = new EntitySchema<Order>({
  name: 'Order',
  tableName: 'shop_order',
  properties: { id: { type: 'integer', primary: true, autoincrement: true }, customer: { type: 'text' } },
});

/** Opens the application's MikroORM. @param database the URL of a PostgreSQL database, or the path of a SQLite file. */
export function openShop(database: string, given: Pick<Options, 'onCreateConnection'> = {}): Promise<MikroORM> {
  // The application's schema tools leave the tables of the store alone.
  const options = { ...given, entities: [Order], schemaGenerator: { skipTables: [/^horarium_/] } };
  return database.startsWith('postgres:')
    ? PostgresOrm.init({ ...options, clientUrl: database })
    : SqliteOrm.init({ ...options, dbName: database });
}

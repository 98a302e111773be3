import { EntitySchema, type MikroORM, type Options } from '@mikro-orm/core';
import { readDatabaseUrl } from '../../../adapters/mikro-orm/databases.ts';
import { databaseKinds } from './test-databases.ts';

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

/** Opens the application's MikroORM. @param url that of its database. */
export function openShop(
  url: string,
  given: Pick<Partial<Options>, 'onCreateConnection' | 'driverOptions'> = {},
): Promise<MikroORM> {
  // The application's schema tools leave the tables of the store alone.
  const options = { ...given, entities: [Order], schemaGenerator: { skipTables: [/^horarium_/] } };
  const { kind } = readDatabaseUrl(url).database;
  return databaseKinds[kind as keyof typeof databaseKinds].openOrm(url, options);
}

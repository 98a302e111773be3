import { MikroORM } from '@mikro-orm/sqlite';
import { type OrmParts, runtimeSettings, type SchemaOrmParts, schemaSettings } from '../../orm/orm-settings.ts';

/** Opens MikroORM on the transactions of the store. */
export function sqliteOrm(parts: OrmParts): MikroORM {
  return new MikroORM(runtimeSettings(parts));
}

/** Opens MikroORM with the entities, which compares schemas and runs migrations on the connection of the other. */
export async function sqliteSchemaOrm(parts: SchemaOrmParts): Promise<MikroORM> {
  return new MikroORM(await schemaSettings('sqlite', parts));
}

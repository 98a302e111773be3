import { MikroORM } from '@mikro-orm/sqlite';
import { type OrmParts, ormSettings } from '../../orm-settings.ts';

/** MikroORM over the store's own connections: what knows the schema and runs migrations. */
export async function sqliteOrm(parts: OrmParts): Promise<MikroORM> {
  return new MikroORM(await ormSettings('sqlite', parts));
}

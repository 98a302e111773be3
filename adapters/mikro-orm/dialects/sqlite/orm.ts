import { MikroORM } from '@mikro-orm/sqlite';
import { type OrmParts, ormSettings } from '../../orm-settings.ts';

/** Opens MikroORM, which compares schemas and runs migrations, over the store's own connection. */
export async function sqliteOrm(parts: OrmParts): Promise<MikroORM> {
  return new MikroORM(await ormSettings('sqlite', parts));
}

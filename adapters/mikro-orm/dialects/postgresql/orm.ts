import { MikroORM } from '@mikro-orm/postgresql';
import { type OrmParts, ormSettings } from '../../orm-settings.ts';

/** Opens MikroORM, which compares schemas and runs migrations, over the store's own connections. */
export async function postgresOrm(parts: OrmParts): Promise<MikroORM> {
  return new MikroORM(await ormSettings('postgresql', parts));
}

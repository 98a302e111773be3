import { MikroORM } from '@mikro-orm/postgresql';
import { type OrmParts, ormSettings } from '../../orm-settings.ts';

/** MikroORM over the store's own connections: what knows the schema and runs migrations. */
export async function postgresOrm(parts: OrmParts): Promise<MikroORM> {
  return new MikroORM(await ormSettings('postgresql', parts));
}

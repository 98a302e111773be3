/** Stores in SQLite and PostgreSQL for an embedded core: `horarium/mikro-orm`. */
export { type MikroOrmStoreOptions, mikroOrmStore } from './application-store.ts';
export type { OpenedStore } from './database.ts';
export type { MikroOrmStore } from './mikro-orm-store.ts';
export { type FurtherMigrations, type OpenOptions, openStore } from './open-store.ts';

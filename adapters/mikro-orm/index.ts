/** Stores in SQLite and PostgreSQL for an embedded core: `horarium/mikro-orm`. */
export { type FurtherMigrations, type OpenedStore, type OpenOptions, openStore } from './open-store.ts';

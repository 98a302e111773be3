import type { Clock, Store, TableDescription } from '@horarium/core';
import type { MikroORM } from '@mikro-orm/core';
import type { MikroOrmStore } from './mikro-orm-store.ts';
import type { MigrationEntry, Schema } from './schema/schema.ts';

/** What a URL says about a database. */
export interface DatabaseAddress {
  readonly url: string;
  /** The path of its file, if it is one. */
  readonly file?: string;
}

/** What every store is opened with. */
export interface StoreOptions {
  readonly tables: readonly TableDescription[];
  /** Ignored by a database that has a clock of its own. */
  readonly clock: Clock;
  /** Migrations to run after those of the product. */
  readonly furtherMigrations: readonly MigrationEntry[];
}

export interface DatabaseOptions extends StoreOptions, DatabaseAddress {
  /** The folder where the relative path of a file starts. */
  readonly folder: string;
  /** SQLite only. */
  readonly synchronous: 'full' | 'normal';
  /** PostgreSQL only: the size of the connection pool. */
  readonly connections: number;
}

/** A store that may have tables to migrate. */
export interface OpenedStore extends Store {
  /**
   * Left out by a store that needs no migrations. `pending` and `migrate` throw HorariumError `unavailable` for a database
   * that another version has migrated.
   */
  readonly schema?: Pick<Schema, 'pending' | 'migrate'> &
    Partial<Pick<Schema, 'difference' | 'isNew' | 'unloadedPlugins'>>;
}

/** A kind of database, which loads its driver only when a store is opened. */
export interface Database {
  /** The `kind` of its stores. */
  readonly kind: string;
  /** Its name in sentences. */
  readonly title: string;
  /** The form of its URLs, for messages. */
  readonly urlForm: string;
  /** Reads a URL. @returns in words what a URL of this database lacks; undefined for a URL of another one. */
  readUrl(url: string): DatabaseAddress | string | undefined;
  open(options: DatabaseOptions): Promise<OpenedStore & AsyncDisposable>;
}

/** A kind of database that MikroORM knows. */
export interface OrmDatabase extends Database {
  /** The name of the class of MikroORM's platform. */
  readonly platform: string;
  /** Opens a store in the database of an application's own MikroORM, which it never closes. */
  openOn(orm: MikroORM, options: StoreOptions): Promise<MikroOrmStore>;
}

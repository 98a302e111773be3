import { setTimeout as pause } from 'node:timers/promises';
import { HorariumError, type Milliseconds } from '@horarium/core';
import type { Constructor, MikroORM } from '@mikro-orm/core';
import type { Migration, Migrator } from '@mikro-orm/migrations';
import type { AbstractSqlConnection } from '@mikro-orm/sql';
import { CompiledQuery, type ControlledTransaction, type Kysely } from 'kysely';
import { listenToProgress, type ProgressListener } from './progress.ts';
import { assertNoWorkers, type LeaseStatements, WorkersRunning } from './worker-leases.ts';

/** The table of the applied migrations. A database may have another one, of the migrations of an application. */
export const migrationsTable = 'horarium_migrations';

/** One migration, loaded only when it is applied. */
export interface MigrationEntry {
  readonly name: string;
  load(): Promise<Constructor<Migration>>;
}

/** The database has applied a migration that this version, or that of a plugin, does not have. */
export class MigratedByNewerVersion extends HorariumError {
  constructor(migration: string) {
    const plugin = pluginOf(migration);
    const older = plugin === undefined ? 'Horarium' : `the plugin ${plugin}`;
    super(
      'unavailable',
      `The database has applied the migration ${migration}, which this version of ${older} does not have: a newer version has used it (horarium help upgrade).`,
    );
  }
}

/** Names a plugin's migration in the table of them. */
export function pluginMigrationName(plugin: string, migration: string): string {
  return `plugin:${plugin}:${migration}`;
}

/**
 * Returns the plugins that migrations are of, where none of the migrations changes the tables of the service itself; none = one does.
 */
export function pluginsOf(migrations: readonly string[]): string[] {
  const plugins = migrations.map(pluginOf);
  return plugins.includes(undefined) ? [] : [...new Set(plugins)].filter((plugin) => plugin !== undefined);
}

/** Returns the plugin that a migration belongs to; undefined for a migration of the service itself or of a custom host. */
function pluginOf(name: string): string | undefined {
  return /^plugin:(.*):/.exec(name)?.[1];
}

interface SchemaParts {
  /** Makes the MikroORM that has the entities: they take 50 ms to discover, and only work on the schema needs them. */
  orm(): Promise<MikroORM>;
  readonly kysely: Kysely<unknown>;
  /** The names of all migrations of this version, oldest first. */
  readonly known: readonly string[];
  /** Creates the table of migrations exactly as MikroORM does, if it does not exist. */
  readonly createTable: string;
  /** Locks out the migrations of other processes until the transaction ends. */
  readonly lock?: string;
  readonly leases: LeaseStatements;
  /** Whether a query failed because its table or a column does not exist. */
  isMissing(error: unknown): boolean;
  /** Runs the migrations; switches off around them what gets in their way, such as foreign keys. */
  migrating(work: () => Promise<void>): Promise<void>;
  /** Checks what the database does not check by itself while migrations run, before they are committed. */
  check?(transaction: ControlledTransaction<unknown>): Promise<void>;
  /** Translates an error of the driver, as the store does. */
  translateError(error: unknown): unknown;
}

/** The wait between two looks at leases that may be those of processes that have died. */
const leaseWait: Milliseconds = 500;

/** Migrates the schema of a database, and compares it with the table descriptions. */
export class Schema {
  readonly #parts: SchemaParts;
  #loaded: Promise<MikroORM> | undefined;

  constructor(parts: SchemaParts) {
    this.#parts = parts;
  }

  /**
   * Returns the pending migrations, oldest first.
   * @throws MigratedByNewerVersion when the database has applied a migration that this version does not have; those of
   *   plugins that are not loaded do not count.
   * @throws HorariumError `unavailable` for the database of a preview from before the first release.
   */
  async pending(): Promise<string[]> {
    const { known } = this.#parts;
    const applied = await this.#applied();
    if (applied === null && (await this.#isOfPreview())) throw new HorariumError('unavailable', previewMessage);
    const plugins = new Set(known.map(pluginOf));
    const unknown = applied?.find((name) => {
      const plugin = pluginOf(name);
      return !known.includes(name) && (plugin === undefined || plugins.has(plugin));
    });
    if (unknown !== undefined) throw new MigratedByNewerVersion(unknown);
    return known.filter((name) => !applied?.includes(name));
  }

  /** Whether the database has no tables of the service yet. */
  async isNew(): Promise<boolean> {
    return ((await this.#applied()) ?? []).length === 0;
  }

  /** Returns the plugins whose tables the database has, and which are not loaded. */
  async unloadedPlugins(): Promise<string[]> {
    const { known } = this.#parts;
    const loaded = new Set(known.map(pluginOf));
    const plugins = ((await this.#applied()) ?? []).map(pluginOf).filter((plugin) => plugin !== undefined);
    return [...new Set(plugins)].filter((plugin) => !loaded.has(plugin));
  }

  /**
   * Applies the pending migrations in one transaction; several processes may call it at once. Waits until leases of
   * workers that have died end.
   * @param onProgress called with what runs, on a database that has tables already.
   * @returns the migrations that this process applied.
   * @throws HorariumError as `pending` does; `unavailable` too while a worker of an older version is at work.
   */
  async migrate(onProgress: ProgressListener = () => undefined): Promise<string[]> {
    let blocked: WorkersRunning | undefined;
    for (;;) {
      const pending = await this.pending();
      if (pending.length === 0) return [];
      try {
        return await this.#apply(pending, onProgress);
      } catch (error) {
        if (!(error instanceof WorkersRunning)) throw this.#parts.translateError(error);
        if (blocked && error.isNewsSince(blocked)) throw error;
        if (!blocked) onProgress(error.wait);
        blocked ??= error;
        await pause(leaseWait);
      }
    }
  }

  async #apply(pending: readonly string[], onProgress: ProgressListener): Promise<string[]> {
    const { createTable, leases, migrating, check } = this.#parts;
    const isNew = pending.length === this.#parts.known.length;
    const orm = await this.#orm();
    const connection = orm.em.getDriver().getConnection() as AbstractSqlConnection;
    const migrator = orm.migrator as Migrator;
    let applied: string[] = [];
    let begun = 0;
    const begin = ({ name }: { readonly name: string }) => {
      begun += 1;
      if (!isNew) onProgress(`migration ${begun} of ${pending.length}: ${name}`);
    };
    listenToProgress(orm.config, onProgress);
    migrator.on('migrating', begin);
    try {
      await connection.transactional(async (transaction) => {
        await this.#lock(transaction);
        await transaction.executeQuery(CompiledQuery.raw(createTable));
      });
      await migrator.getPending();
      await migrating(() =>
        connection.transactional(async (transaction) => {
          await this.#lock(transaction);
          if (!isNew) await assertNoWorkers(transaction, leases);
          applied = (await migrator.up({ transaction })).map(({ name }) => name);
          await check?.(transaction);
        }),
      );
    } finally {
      migrator.off('migrating', begin);
    }
    return applied;
  }

  /** Creates all tables at once, without migrations: for a database that only this process will ever open. */
  async create(): Promise<void> {
    await (await this.#orm()).schema.create();
  }

  /**
   * Writes the migration from this database's schema to the table descriptions.
   * @param name in lower case with hyphens. The file's name is the time and this name, so that newer migrations sort last.
   * @returns its statements; none, and no file, when the two are equal.
   * @throws HorariumError `invalid` for a new column that existing rows have no value for.
   */
  async writeMigration(folder: string, name: string, time = new Date()): Promise<readonly string[]> {
    const stem = `${time.toISOString().replace(/\D/g, '').slice(0, 14)}-${name}`;
    const { diff } = await ((await this.#orm()).migrator as Migrator).create(folder, false, false, stem);
    return diff.up;
  }

  /** Returns the SQL from this database's schema to the table descriptions; it drops no table. */
  async difference(): Promise<string> {
    return (await this.#orm()).schema.getUpdateSchemaSQL({ wrap: false, dropTables: false });
  }

  /** Whether the schema of this database differs from the table descriptions. */
  async hasDrifted(): Promise<boolean> {
    return ((await this.#orm()).migrator as Migrator).checkSchema();
  }

  #orm(): Promise<MikroORM> {
    this.#loaded ??= this.#parts.orm();
    return this.#loaded;
  }

  async #lock(transaction: ControlledTransaction<unknown>): Promise<void> {
    if (this.#parts.lock) await transaction.executeQuery(CompiledQuery.raw(this.#parts.lock));
  }

  /** Returns the names of the migrations that the database has applied; null when it has no table of them. */
  async #applied(): Promise<string[] | null> {
    const rows = await this.#rows(`select "name" from ${migrationsTable} order by "id"`);
    return rows?.map((row) => row['name'] as string) ?? null;
  }

  /** Whether a version from before the first release has made the tables, whose names had no prefix then. */
  async #isOfPreview(): Promise<boolean> {
    return (await this.#rows('select "cipher_key" from run_template limit 0')) !== null;
  }

  /** Returns null when the table or the column does not exist. */
  async #rows(sql: string): Promise<Record<string, unknown>[] | null> {
    try {
      const { rows } = await this.#parts.kysely.executeQuery(CompiledQuery.raw(sql));
      return rows as Record<string, unknown>[];
    } catch (error) {
      if (this.#parts.isMissing(error)) return null;
      throw this.#parts.translateError(error);
    }
  }
}

const previewMessage =
  'The database was made by a preview of Horarium from before the first release, and cannot be migrated: start with an empty database, or go on using the version that made it.';

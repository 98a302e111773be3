import { HorariumError } from '@horarium/core';
import type { Constructor, MikroORM } from '@mikro-orm/core';
import type { Migration, Migrator } from '@mikro-orm/migrations';
import type { AbstractSqlConnection } from '@mikro-orm/sql';
import { CompiledQuery, type ControlledTransaction, type Kysely } from 'kysely';

/** The table of the applied migrations. A database may have another one, of the migrations of an application. */
export const migrationsTable = 'horarium_migrations';

/** One migration, loaded only when it is applied. */
export interface MigrationEntry {
  readonly name: string;
  load(): Promise<Constructor<Migration>>;
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
  /** Whether a query failed because its table or a column does not exist. */
  isMissing(error: unknown): boolean;
  /** Runs the migrations; switches off around them what gets in their way, such as foreign keys. */
  migrating(work: () => Promise<void>): Promise<void>;
  /** Checks what the database does not check by itself while migrations run, before they are committed. */
  check?(transaction: ControlledTransaction<unknown>): Promise<void>;
  /** Translates an error of the driver, as the store does. */
  translateError(error: unknown): unknown;
}

/** Migrates the schema of a database, and compares it with the table descriptions. */
export class Schema {
  readonly #parts: SchemaParts;
  #loaded: Promise<MikroORM> | undefined;

  constructor(parts: SchemaParts) {
    this.#parts = parts;
  }

  /**
   * Returns the pending migrations, oldest first.
   * @throws HorariumError `unavailable` when the database has applied a migration that this version does not have: a
   *   newer version has used it, or a preview from before the first release.
   */
  async pending(): Promise<string[]> {
    const { known } = this.#parts;
    const applied = await this.#applied();
    if (applied === null && (await this.#isOfPreview())) throw new HorariumError('unavailable', previewMessage);
    const unknown = applied?.find((name) => !known.includes(name));
    if (unknown !== undefined) throw new HorariumError('unavailable', newerVersionMessage(unknown));
    return known.filter((name) => !applied?.includes(name));
  }

  /**
   * Applies the pending migrations; several processes may call it at once.
   * @returns the migrations that this process applied.
   * @throws HorariumError as `pending` does.
   */
  async migrate(): Promise<string[]> {
    if ((await this.pending()).length === 0) return [];
    const orm = await this.#orm();
    const connection = orm.em.getDriver().getConnection() as AbstractSqlConnection;
    const migrator = orm.migrator as Migrator;
    let applied: string[] = [];
    try {
      await connection.transactional(async (transaction) => {
        await this.#lock(transaction);
        await transaction.executeQuery(CompiledQuery.raw(this.#parts.createTable));
      });
      await migrator.getPending();
      await this.#parts.migrating(() =>
        connection.transactional(async (transaction) => {
          await this.#lock(transaction);
          applied = (await migrator.up({ transaction })).map(({ name }) => name);
          await this.#parts.check?.(transaction);
        }),
      );
    } catch (error) {
      throw this.#parts.translateError(error);
    }
    return applied;
  }

  /** Creates all tables at once, without migrations: for a database that only this process will ever open. */
  async create(): Promise<void> {
    await (await this.#orm()).schema.create();
  }

  /**
   * Writes the migration from this database's schema to the table descriptions.
   * @param name in lower case with hyphens; the time before it puts the file behind those of older migrations.
   * @returns its statements; none, and no file, when the two are equal.
   * @throws HorariumError `invalid` for a new column that existing rows have no value for.
   */
  async writeMigration(folder: string, name: string, time = new Date()): Promise<readonly string[]> {
    const stem = `${time.toISOString().replace(/\D/g, '').slice(0, 14)}-${name}`;
    const { diff } = await ((await this.#orm()).migrator as Migrator).create(folder, false, false, stem);
    return diff.up;
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

function newerVersionMessage(unknown: string): string {
  return `The database has applied the migration ${unknown}, which this version of Horarium does not have: a newer version has used it.`;
}

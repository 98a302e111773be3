import { HorariumError } from '@horarium/core';
import type { Constructor, MikroORM } from '@mikro-orm/core';
import type { Migration, Migrator } from '@mikro-orm/migrations';
import type { AbstractSqlConnection } from '@mikro-orm/sqlite';
import { CompiledQuery, type ControlledTransaction, type Kysely } from 'kysely';

/** One migration, loaded only when it is applied. */
export interface MigrationEntry {
  readonly name: string;
  load(): Promise<Constructor<Migration>>;
}

interface SchemaParts {
  /** Loads MikroORM, which takes a quarter of a second and 30 MB: only a schema change needs it. */
  orm(): Promise<MikroORM>;
  readonly kysely: Kysely<unknown>;
  /** The names of all migrations of this version, oldest first. */
  readonly known: readonly string[];
  /** Creates the table of migrations exactly as MikroORM does, if it does not exist. */
  readonly createTable: string;
  /** Locks out the migrations of other processes until the transaction ends. */
  readonly lock?: string;
  isMissingTable(error: unknown): boolean;
  /** Runs the migrations; switches off around them what gets in their way, such as foreign keys. */
  migrating(work: () => Promise<void>): Promise<void>;
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
    const applied = await this.#applied();
    const { known } = this.#parts;
    const unknown = applied.find((name) => !known.includes(name));
    if (unknown !== undefined) throw new HorariumError('unavailable', unknownMigrationMessage(unknown, known));
    return known.filter((name) => !applied.includes(name));
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

  /** Writes the migration from this database's schema to the table descriptions; false when they are equal. */
  async writeMigration(folder: string, name: string): Promise<boolean> {
    const { fileName } = await ((await this.#orm()).migrator as Migrator).create(folder, false, false, name);
    return fileName !== '';
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

  async #applied(): Promise<string[]> {
    try {
      const query = CompiledQuery.raw('select "name" from mikro_orm_migrations order by "id"');
      const { rows } = await this.#parts.kysely.executeQuery(query);
      return rows.map((row) => (row as { name: string }).name);
    } catch (error) {
      if (this.#parts.isMissingTable(error)) return [];
      throw this.#parts.translateError(error);
    }
  }
}

/**
 * Explains an unknown migration. Migrations are named by their time, so one that is older than the first was never
 * released.
 */
function unknownMigrationMessage(unknown: string, known: readonly string[]): string {
  const [first] = known;
  if (first !== undefined && unknown < first)
    return `The database was made by a preview of Horarium (its migration ${unknown} was never released), and cannot be migrated: start with an empty database, or go on using the version that made it.`;
  return `The database has applied the migration ${unknown}, which this version of Horarium does not have: a newer version has used it.`;
}

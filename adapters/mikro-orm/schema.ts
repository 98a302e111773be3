import { HorariumError } from '@horarium/core';
import type { Constructor, MikroORM } from '@mikro-orm/core';
import type { Migration, Migrator } from '@mikro-orm/migrations';
import type { AbstractSqlConnection } from '@mikro-orm/sqlite';
import { CompiledQuery, type ControlledTransaction, type Kysely } from 'kysely';

/** One migration, loaded only when it is to be run. */
export interface MigrationEntry {
  readonly name: string;
  load(): Promise<Constructor<Migration>>;
}

interface SchemaParts {
  /** Loads MikroORM: a quarter of a second and 30 MB that a store which is up to date does without. */
  orm(): Promise<MikroORM>;
  readonly kysely: Kysely<unknown>;
  /** The names of all migrations this program knows, oldest first. */
  readonly known: readonly string[];
  /** Makes the table of migrations as MikroORM would, unless it is there. */
  readonly createTable: string;
  /** Taken at the beginning of a transaction, keeps other processes waiting until its end. */
  readonly lock?: string;
  isMissingTable(error: unknown): boolean;
  /** Runs the migrations under whatever they need beside the lock. */
  hooks(work: () => Promise<void>): Promise<void>;
  /** Puts a failure into words, as the store does. */
  judgeAttempt(error: unknown): unknown;
}

/** The tables of a database: which migrations they have seen, and which they still need. */
export class Schema {
  readonly #parts: SchemaParts;
  #loaded: Promise<MikroORM> | undefined;

  constructor(parts: SchemaParts) {
    this.#parts = parts;
  }

  /**
   * The migrations that are still to be run, oldest first.
   * @throws HorariumError `unavailable` when the database was migrated by a newer version of this program.
   */
  async pending(): Promise<string[]> {
    const seen = await this.#seen();
    const { known } = this.#parts;
    const unknown = seen.find((name) => !known.includes(name));
    if (unknown)
      throw new HorariumError(
        'unavailable',
        `The database has seen the migration ${unknown}, which this version of Horarium does not know: a newer version has used it.`,
      );
    return known.filter((name) => !seen.includes(name));
  }

  /**
   * Brings the tables up to date; several processes may do so at once.
   * @returns the migrations that this one ran.
   * @throws HorariumError as `pending` does.
   */
  async migrate(): Promise<string[]> {
    if ((await this.pending()).length === 0) return [];
    const orm = await this.#orm();
    const connection = orm.em.getDriver().getConnection() as AbstractSqlConnection;
    const migrator = orm.migrator as Migrator;
    let done: string[] = [];
    try {
      await connection.transactional(async (transaction) => {
        await this.#lock(transaction);
        await transaction.executeQuery(CompiledQuery.raw(this.#parts.createTable));
      });
      await migrator.getPending();
      await this.#parts.hooks(() =>
        connection.transactional(async (transaction) => {
          await this.#lock(transaction);
          done = (await migrator.up({ transaction })).map(({ name }) => name);
        }),
      );
    } catch (error) {
      throw this.#parts.judgeAttempt(error);
    }
    return done;
  }

  /** Makes all tables at once, without migrations: for a store that nobody will open again. */
  async create(): Promise<void> {
    await (await this.#orm()).schema.create();
  }

  /** Writes the migration that brings this database's tables to the descriptions; false when there is nothing to do. */
  async writeMigration(folder: string, name: string): Promise<boolean> {
    const { fileName } = await ((await this.#orm()).migrator as Migrator).create(folder, false, false, name);
    return fileName !== '';
  }

  /** True when the tables are not what the descriptions say. */
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

  async #seen(): Promise<string[]> {
    try {
      const query = CompiledQuery.raw('select "name" from mikro_orm_migrations order by "id"');
      const { rows } = await this.#parts.kysely.executeQuery(query);
      return rows.map((row) => (row as { name: string }).name);
    } catch (error) {
      if (this.#parts.isMissingTable(error)) return [];
      throw this.#parts.judgeAttempt(error);
    }
  }
}

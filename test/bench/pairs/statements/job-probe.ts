import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import pg from 'pg';
import type { EmptyDatabase } from '../context.ts';

/** A job that takes longer is lost, in milliseconds. */
const timeLimit = 60_000;

/** Reads in the store of a service, by the driver alone, whether a job has ended. Tables may have a prefix. */
export class JobProbe implements AsyncDisposable {
  readonly #rows: (sql: string) => Promise<Record<string, unknown>[]>;
  readonly #close: () => Promise<unknown>;
  #table = '';

  private constructor(rows: (sql: string) => Promise<Record<string, unknown>[]>, close: () => Promise<unknown>) {
    this.#rows = rows;
    this.#close = close;
  }

  static async open({ url }: EmptyDatabase): Promise<JobProbe> {
    const file = /^sqlite:(.*)$/.exec(url)?.[1];
    const probe = file === undefined ? await openPostgres(url) : openSqlite(file);
    const tables = (await probe.#rows(file === undefined ? postgresTables : sqliteTables)).map(({ name }) =>
      String(name),
    );
    const found = tables.find((name) => /^(?:\w+_)?job$/.test(name));
    if (found === undefined) throw new Error('the store has no table of jobs');
    probe.#table = found;
    return probe;

    async function openPostgres(connectionString: string): Promise<JobProbe> {
      const client = new pg.Client({ connectionString });
      await client.connect();
      return new JobProbe(
        async (sql) => (await client.query(sql)).rows,
        () => client.end(),
      );
    }

    function openSqlite(path: string): JobProbe {
      const database = new Database(path, { readonly: true });
      return new JobProbe(
        async (sql) => database.prepare<[], Record<string, unknown>>(sql).all(),
        async () => database.close(),
      );
    }
  }

  /** Resolves when the job has succeeded. @throws Error when it has ended otherwise. */
  async untilSucceeded(id: number): Promise<void> {
    const deadline = performance.now() + timeLimit;
    for (;;) {
      const [job] = await this.#rows(`select state, finished_at from "${this.#table}" where id = ${Number(id)}`);
      if (job?.['state'] === 'succeeded') return;
      if (job?.['finished_at']) throw new Error(`job ${id} ended ${job['state']}`);
      if (performance.now() > deadline) throw new Error(`job ${id} did not end within a minute`);
      await pause(1);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}

const sqliteTables = `select name from sqlite_master where type = 'table'`;
const postgresTables = `select table_name as name from information_schema.tables where table_schema = 'public'`;

import { once } from 'node:events';
import Database from 'better-sqlite3';
import pg from 'pg';
import { SpawnedProgram, spawnService } from '../program/spawned-program.ts';
import { TestCli } from '../program/test-cli.ts';
import { databaseKinds } from '../store/test-databases.ts';
import type { OldVersion } from './old-version.ts';
import { loadFixture, readFixture } from './store-fixture.ts';

type Kind = keyof typeof databaseKinds;

export interface UpgradeRunOptions {
  readonly kind: Kind;
  /** The version that has made the store. */
  readonly version: OldVersion;
  /** How many finished Tasks are added to the store, each with its job. */
  readonly tasks: number;
}

export interface UpgradeRun {
  /** The broken promises, a sentence each. */
  readonly violations: readonly string[];
  readonly figures: Readonly<Record<string, number>>;
}

/** One hour in the unit of the times of a database. */
const hours: Readonly<Record<Kind, string>> = { sqlite: '3600000', postgresql: "interval '1 hour'" };

/**
 * Upgrades a large store of an older version: while that version runs, after the migration was killed half-way, and to its
 * end; afterwards the older version must not start on it.
 */
export async function upgradeRun({ kind, version, tasks }: UpgradeRunOptions): Promise<UpgradeRun> {
  const violations: string[] = [];
  const expect = (isTrue: boolean, sentence: string) => isTrue || violations.push(sentence);
  const fixture = readFixture(version.commit, kind);
  const database = await loadFixture(version.commit, kind);
  using cli = new TestCli(database.url, { HORARIUM_VAULT_KEY: fixture.vaultKeys.join() });
  try {
    const { service } = await spawnService(cli, ['--shutdown-grace', '1s'], version.program);
    const beside = await cli.command('migrate');
    expect(
      beside.code === 1 && beside.err.includes('an older version works on it'),
      `The migration beside the older version said: ${beside.err}`,
    );
    service.process.kill('SIGTERM');
    await service.ended;
    await addTasks(kind, database.url, tasks);
    const before = await countsOf(kind, database.url);
    const pending = (await cli.command('migrate --dry-run')).out;

    const killed = new SpawnedProgram(['migrate'], cli);
    await killed.waitForError(/^migration 3 of /m);
    killed.process.kill('SIGKILL');
    await once(killed.process, 'close');
    expect((await cli.command('migrate --dry-run')).out === pending, 'A killed migration left some of its changes.');

    const start = performance.now();
    const migrated = await cli.command('migrate');
    const seconds = (performance.now() - start) / 1000;
    expect(migrated.code === 0, `The migration failed: ${migrated.err}`);
    expect(/^The store is of an older version: \d+ migrations/.test(migrated.err), 'No backup was advised.');
    const steps = migrated.err.match(/^migration \d+ of \d+: /gm)?.length ?? 0;
    expect(steps === pending.trim().split('\n').length, `${steps} migrations showed their progress.`);
    const after = await countsOf(kind, database.url);
    expect(JSON.stringify(before) === JSON.stringify(after), 'Rows were lost, or added.');
    const verified = await cli.command(`audit:verify --head ${fixture.auditHead}`);
    expect(verified.code === 0, `The audit log does not verify: ${verified.err}`);
    const summary = await cli.command('summary --from 2026-11-01 --to 2026-12-01 --format json');
    expect(summary.code <= 1 && summary.out !== '', `The summary failed: ${summary.err}`);

    const older = new SpawnedProgram(['serve', '--port', '0'], cli, { program: version.program });
    expect(
      (await older.ended) === 1 && older.err.includes('a newer version has used it'),
      `The older version on the migrated store said: ${older.err}`,
    );
    const fresh = await spawnService(cli, ['--shutdown-grace', '1s']);
    fresh.service.process.kill('SIGTERM');
    expect((await fresh.service.ended) === 0, `The service failed on the migrated store: ${fresh.service.err}`);
    return { violations, figures: { ...after, migrations: steps, seconds: Math.round(seconds * 10) / 10 } };
  } finally {
    await database.drop();
  }
}

/** Adds Tasks for hours long ago, each with a job, after the pattern of a Task that was fulfilled. */
async function addTasks(kind: Kind, url: string, tasks: number): Promise<void> {
  const query = (sql: string) => queryOf(kind, url, sql);
  const [pattern] = await query(
    `select t.id as task, j.id as job, (select max(id) from horarium_task) as last
       from horarium_task t join horarium_job j on j.id = t.fulfilled_by_job_id order by t.id limit 1`,
  );
  if (!pattern) throw new Error('The store has no Task that was fulfilled.');
  const numbers = `with recursive n (n) as (select 1 union all select n + 1 from n where n < ${tasks})`;
  const times = new Set(['window_start', 'window_end', 'deadline']);
  const [task, job] = [await columnsOf(kind, url, 'horarium_task'), await columnsOf(kind, url, 'horarium_job')];
  const shifted = task.map((name) => (times.has(name) ? `t.${name} - n.n * ${hours[kind]}` : `t.${name}`));
  await databaseKinds[kind].execute(
    url,
    `insert into horarium_task (${task.join()}) ${numbers} select ${shifted.join()} from horarium_task t, n where t.id = ${pattern['task']}`,
  );
  const copied = job.map((name) => (name === 'task_id' ? 't.id' : `j.${name === 'trigger' ? quoted(name) : name}`));
  await databaseKinds[kind].execute(
    url,
    `insert into horarium_job (${job.map(quoted).join()}) select ${copied.join()} from horarium_job j, horarium_task t where j.id = ${pattern['job']} and t.id > ${pattern['last']}`,
  );
}

function quoted(name: string): string {
  return `"${name}"`;
}

/** The columns of a table but its id. */
async function columnsOf(kind: Kind, url: string, table: string): Promise<string[]> {
  const sql =
    kind === 'sqlite'
      ? `select name from pragma_table_info('${table}')`
      : `select column_name as name from information_schema.columns where table_name = '${table}' order by ordinal_position`;
  return (await queryOf(kind, url, sql)).map(({ name }) => String(name)).filter((name) => name !== 'id');
}

async function countsOf(kind: Kind, url: string): Promise<Record<string, number>> {
  const tables = ['task', 'job', 'audit_log', 'user', 'run_template', 'event', 'delivery'];
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const [row] = await queryOf(kind, url, `select count(*) as count from horarium_${table}`);
    counts[table] = Number(row?.['count']);
  }
  return counts;
}

async function queryOf(kind: Kind, url: string, sql: string): Promise<Readonly<Record<string, unknown>>[]> {
  if (kind === 'sqlite') {
    const database = new Database(url.replace('sqlite:', ''));
    try {
      return database.prepare(sql).all() as Readonly<Record<string, unknown>>[];
    } finally {
      database.close();
    }
  }
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

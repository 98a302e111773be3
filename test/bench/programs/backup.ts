import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Job } from '@horarium/core';
import { type BenchDatabase, openDatabase } from '../harness/databases.ts';
import { loadAtRate, requestText } from '../harness/http-load.ts';
import { quantile } from '../harness/rounds.ts';
import { commandOf, Service } from '../harness/service.ts';
import { createShellTemplate } from '../harness/shell-template.ts';
import { fillLedger } from '../harness/task-ledger.ts';
import type { Report } from '../results.ts';

export const name = 'backup of 2 GB while 100 shell jobs run in a second';
const templates = 1000;
const windows = 4200;
const hour = 3_600_000;
const rate = 100;
const connections = 20;

/** Measures how long a backup and its restore take, and how much later jobs start while the backup is made. */
export async function run(report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'horarium-backup-'));
  const file = join(folder, 'backup.jsonl');
  try {
    await using opened = await openDatabase('SQLite FULL');
    await fillLedger(opened, { templates, windows, at: Date.now() + 365 * 24 * hour });
    report.figure('SQLite, size of the file', sizeOf(opened.url.slice('sqlite:'.length)), 'GB', { min: 2 });
    await using service = await Service.start(opened);
    const jobs = await JobsAtRate.start(service);
    await jobs.during(10);
    const own = await delays(opened, () => jobs.during(20));
    let seconds = 0;
    const meanwhile = await delays(opened, async () => {
      const backup = secondsOf(opened, ['backup', file]).then((passed) => {
        seconds = passed;
      });
      while (seconds === 0) await Promise.race([jobs.during(5), backup]);
      await jobs.during(10);
    });
    report.figure('backup', seconds, 's');
    report.figure('   its size', sizeOf(file), 'GB');
    report.figure('   jobs by themselves start after, p99', quantile(own, 0.99), 'ms');
    report.figure('   jobs meanwhile start after, p99', quantile(meanwhile, 0.99), 'ms');
    report.figure('   later by, p99', quantile(meanwhile, 0.99) - quantile(own, 0.99), 'ms', { max: 100 });
    report.figure(
      '   jobs meanwhile start after, at most',
      meanwhile.reduce((a, b) => Math.max(a, b), 0),
      'ms',
    );
    const copy = { url: `sqlite:${join(folder, 'copy.sqlite')}`, synchronous: 'full' } as const;
    report.figure('restore into SQLite', await secondsOf(copy, ['restore', file]), 's');
  } finally {
    await rm(folder, { recursive: true });
  }
}

function sizeOf(file: string): number {
  return statSync(file).size / 1e9;
}

/** Schedules jobs over HTTP, evenly. */
class JobsAtRate {
  readonly #service: Service;
  readonly #request: Buffer;

  private constructor(service: Service, request: Buffer) {
    this.#service = service;
    this.#request = request;
  }

  static async start(service: Service): Promise<JobsAtRate> {
    await service.signIn();
    const template = await createShellTemplate(service);
    const headers = { authorization: service.authorization.bearer };
    const body = JSON.stringify({ runtemplate_id: template });
    return new JobsAtRate(service, requestText('POST', '/api/v1/job/', headers, body));
  }

  async during(seconds: number): Promise<void> {
    await loadAtRate(this.#service, () => this.#request, rate, { connections, seconds });
  }
}

/** Returns how long after they were due the jobs started that were scheduled meanwhile, in milliseconds. */
async function delays({ store }: BenchDatabase, work: () => Promise<void>): Promise<number[]> {
  const last = await store.transaction((tables) => tables.copyOf(Job).lastId(), { readOnly: true });
  await work();
  const jobs = await store.transaction((tables) => tables.of(Job).find({ where: [['id', '>', last]] }), {
    readOnly: true,
  });
  const started = jobs.filter(({ started_at }) => started_at !== null);
  return started.map(({ scheduled_at, started_at }) => (started_at as number) - scheduled_at);
}

/** Runs a command. @returns how long it took. */
async function secondsOf(store: Pick<BenchDatabase, 'url' | 'synchronous'>, line: readonly string[]): Promise<number> {
  const start = performance.now();
  const child = spawn(...commandOf(store, line));
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`${line[0]} ended with ${code}.`);
  return (performance.now() - start) / 1000;
}

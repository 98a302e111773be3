import { setTimeout as pause } from 'node:timers/promises';
import { Job } from '@horarium/core';
import { bareSpawn } from '../harness/bare-spawn.ts';
import { type BenchDatabase, databases, openDatabase } from '../harness/databases.ts';
import { childrenOf, ProcessorTime } from '../harness/processor-time.ts';
import { interleaved, median, timed } from '../harness/rounds.ts';
import { Service } from '../harness/service.ts';
import { createShellTemplate } from '../harness/shell-template.ts';
import type { Report } from '../results.ts';

export const name = 'shell job true';
const sequentialJobs = 100;
const concurrentJobs = 200;
const rounds = 7;

/** Measures from POST /job/ over a real socket until the result is in the store, against spawning without a service. */
export async function run(report: Report): Promise<void> {
  for (const database of databases) {
    await using opened = await openDatabase(database);
    await using service = await Service.start(opened);
    const jobs = new ShellJobs(opened, service);
    await jobs.prepare();
    const single = await interleaved(3, { bare: bareSingle, job: () => jobs.single() });
    report.figure(`${database}, one at a time, p50`, single.job, 'ms', { max: 10 });
    report.figure('   baseline: bare spawn, p50', single.bare, 'ms');
    report.figure('   ratio', single.job / single.bare, '×');
    const launchers = () => childrenOf(service.pid);
    const ofJobs = new ProcessorTime({
      'the server': () => [service.pid],
      'the launcher and the jobs': launchers,
      'the client, which asks for them': () => [process.pid],
      ...(database === 'PostgreSQL' && { PostgreSQL: () => opened.processes() }),
    });
    const ofBare = new ProcessorTime({ bare: () => [process.pid] });
    const many = await interleaved(rounds, {
      bare: () => ofBare.measure(bareMany),
      job: () => ofJobs.measure(() => jobs.many()),
    });
    report.figure(`${database}, ${concurrentJobs} at once`, many.job, 'jobs/s', { min: 300 });
    report.figure(`   vs. it: ${concurrentJobs} bare spawns at once`, many.bare, 'jobs/s');
    report.figure('   ratio of time', many.bare / many.job, '×');
    const count = concurrentJobs * (rounds + 1);
    report.figure(
      '   processor time of a bare spawn and its process',
      (ofBare.milliseconds['bare'] as number) / count,
      'ms',
    );
    for (const [who, spent] of Object.entries(ofJobs.milliseconds))
      report.figure(`   processor time of a job: ${who}`, spent / count, 'ms');
    report.figure('   all cores in use, while jobs run', 100 * ofJobs.utilization, '%');
    report.figure('   all cores in use, while there are bare spawns', 100 * ofBare.utilization, '%');
  }
}

/** Schedules jobs over HTTP, and polls the store from another process for their end. */
export class ShellJobs {
  readonly #database: BenchDatabase;
  readonly #service: Service;
  #template = 0;

  constructor(database: BenchDatabase, service: Service) {
    this.#database = database;
    this.#service = service;
  }

  async prepare(): Promise<void> {
    await this.#service.signIn();
    this.#template = await createShellTemplate(this.#service);
  }

  async single(): Promise<number> {
    this.#service.reconnect();
    const durations: number[] = [];
    for (let job = 0; job < sequentialJobs; job++) {
      durations.push(
        await timed(async () => {
          const id = await this.#post();
          while ((await this.#unfinished([id])) > 0) await pause(1);
        }),
      );
    }
    return median(durations);
  }

  async many(): Promise<number> {
    this.#service.reconnect();
    const elapsed = await timed(async () => {
      const ids = await Promise.all(Array.from({ length: concurrentJobs }, () => this.#post()));
      while ((await this.#unfinished(ids)) > 0) await pause(10);
    });
    return concurrentJobs / (elapsed / 1000);
  }

  async #post(): Promise<number> {
    return (await this.#service.request('POST', '/job/', { runtemplate_id: this.#template }))['id'] as number;
  }

  async #unfinished(ids: readonly number[]): Promise<number> {
    const rows = await this.#database.store.transaction(
      (tables) => tables.of(Job).find({ where: [['id', 'in', ids]], columns: ['state', 'reason'] }),
      { readOnly: true },
    );
    const failed = rows.find((row) => !['scheduled', 'running', 'succeeded'].includes(row.state));
    if (failed) throw new Error(`A job ended ${failed.state}: ${failed.reason}.`);
    return rows.filter((row) => row.state !== 'succeeded').length;
  }
}

async function bareSingle(): Promise<number> {
  const durations: number[] = [];
  for (let job = 0; job < sequentialJobs; job++) durations.push(await timed(() => bareSpawn('true')));
  return median(durations);
}

async function bareMany(): Promise<number> {
  const elapsed = await timed(() => Promise.all(Array.from({ length: concurrentJobs }, () => bareSpawn('true'))));
  return concurrentJobs / (elapsed / 1000);
}

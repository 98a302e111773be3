import { setTimeout as pause } from 'node:timers/promises';
import {
  type Actor,
  type Attempt,
  type AttemptHandle,
  type AttemptResult,
  allTables,
  type Core,
  type Executor,
  type Milliseconds,
  systemClock,
} from '@horarium/core';
import { EventProcessor } from '#core/event/processor/event-processor';
import { newSourceEvents } from '#core/event/source-events';
import { openPostgresStore } from '../../../adapters/mikro-orm/dialects/postgresql/store.ts';
import { benchCore, benchVault } from '../harness/bench-core.ts';
import { type BenchDatabase, databases, openDatabase } from '../harness/databases.ts';
import { median, quantile } from '../harness/rounds.ts';
import type { Report } from '../results.ts';

export const name = 'chains: the end of a job until the next one starts, and changes of a source against rules';
const links = 150;
const warmUps = 50;
const changeCount = 10_000;
const ruleCount = 100;
const batch = 500;

/**
 * Measures the time from the end of a job until the job chained to it starts, one at a time, in one process and across two
 * workers, each of which has the executor of one of the jobs. The jobs do nothing. Then 10,000 changes of a source are
 * matched against 100 rules, of which one matches each change and makes a job of it.
 */
export async function run(report: Report): Promise<void> {
  for (const database of databases) {
    await using opened = await openDatabase(database);
    const alone = await latencies([opened]);
    report.figure(`${database}, end of a job to start of the next, one process, p50`, median(alone), 'ms', { max: 15 });
    report.figure('   p95', quantile(alone, 0.95), 'ms');
    if (database === 'PostgreSQL') {
      const store = await openPostgresStore({ url: opened.url, tables: allTables });
      const across = await latencies([opened, { store }]);
      await store.close();
      report.figure('   across two workers, p50', median(across), 'ms', { max: 50 });
      report.figure('   p95', quantile(across, 0.95), 'ms');
    }
    report.figure(
      `${database}, ${changeCount} changes against ${ruleCount} rules, a job each`,
      await throughput(opened),
      'changes/s',
    );
  }
}

/** Notes when its last attempt started, which is also when that ended. */
class NotingExecutor implements Executor {
  readonly options = {};
  readonly name: string;
  #next = Promise.withResolvers<Milliseconds>();

  constructor(name: string) {
    this.name = name;
  }

  /** Resolves with the time at which the next attempt starts. */
  next(): Promise<Milliseconds> {
    this.#next = Promise.withResolvers();
    return this.#next.promise;
  }

  start(_attempt: Attempt): AttemptHandle {
    this.#next.resolve(performance.now());
    const done: AttemptResult = {
      exitCode: 0,
      signal: null,
      timedOut: false,
      reason: null,
      finishedAt: Date.now(),
      files: [],
    };
    return { done: Promise.resolve(done), stop() {} };
  }
}

/** @param hosts the stores of the cores; the first job of each chain runs on the first one, the second on the last one. */
async function latencies(hosts: readonly Pick<BenchDatabase, 'store'>[]) {
  const executors = ['first', 'second'].map((each) => new NotingExecutor(`${each} of ${hosts.length}`));
  const more = hosts.length === 1 ? { executors } : {};
  const cores = hosts.map(({ store }, index) => benchCore(store, executors[index] as Executor, 8, more));
  const [core] = cores as [Core];
  const actor = core.actor('bench');
  const templates = await chainedTemplates(cores, actor, executors);
  for (const each of cores) await each.start();
  const found: Milliseconds[] = [];
  for (let round = 0; round < warmUps + links; round += 1) {
    const [ended, started] = [executors[0]?.next(), executors[1]?.next()];
    await core.jobs.schedule(actor, { runtemplate_id: templates[0] as number });
    const took = ((await started) as number) - ((await ended) as number);
    if (round >= warmUps) found.push(took);
    await pause(10 + Math.random() * 20);
  }
  for (const each of cores) await each.stop(0);
  return found;
}

/** Saves the templates of two jobs, each by a core that has its executor. */
async function chainedTemplates(
  cores: readonly Core[],
  actor: Actor,
  executors: readonly Executor[],
): Promise<number[]> {
  const [core] = cores as [Core];
  const code = `chain-of-${cores.length}`;
  const app = await core.apps.save(actor, { name: 'noop', executable: 'true' });
  const company = await core.companies.save(actor, { code, name: code });
  const owners = { app_id: app.id, company_id: company.id };
  const ids: number[] = [];
  for (const [index, { name: executor }] of executors.entries()) {
    const { runTemplates } = cores[index] ?? core;
    const fields = { name: executor, executor, ...owners };
    ids.push((await runTemplates.save(actor, { interval: 'none', overlap: 'allow', ...fields })).id);
  }
  const [runtemplate_source_id, runtemplate_id] = ids as [number, number];
  await core.eventRules.save(actor, { runtemplate_source_id, runtemplate_id });
  return ids;
}

/** Returns how many changes a second become jobs, in batches as a reader of sources writes them. */
async function throughput({ store }: BenchDatabase): Promise<number> {
  const eventSourceKinds = new Map([['bench', { name: 'bench', options: {}, probe: async () => undefined }]]);
  const core = benchCore(store, new NotingExecutor('noop'), 0, { eventSourceKinds });
  const actor = core.actor('bench');
  const { id } = await core.eventSources.save(actor, { name: 'bench', kind: 'bench' });
  const environment = { ORDER: { type: 'integer' } } as const;
  const app = await core.apps.save(actor, { name: 'work', executable: 'true', environment });
  const company = await core.companies.save(actor, { code: 'throughput', name: 'throughput' });
  const owners = { app_id: app.id, company_id: company.id };
  const fields = { interval: 'none', overlap: 'allow', executor: 'noop', ...owners } as const;
  for (let rule = 0; rule < ruleCount; rule += 1) {
    const template = await core.runTemplates.save(actor, { name: `rule ${rule}`, ...fields });
    const env_mapping = { ORDER: 'recordid' };
    await core.eventRules.save(actor, {
      event_source_id: id,
      runtemplate_id: template.id,
      evidence: `kind-${rule}`,
      env_mapping,
    });
  }
  const matchesPattern = () => false;
  const context = { store: core.store, clock: systemClock, poll: 1000, vault: benchVault, matchesPattern };
  const processor = new EventProcessor(context);
  const began = performance.now();
  for (let at = 0; at < changeCount; at += batch) {
    await core.store.transaction(actor, async (tables) => {
      const found = Array.from({ length: batch }, (_, index) => ({
        key: String(at + index),
        evidence: `kind-${(at + index) % ruleCount}`,
        operation: 'create',
        recordId: String(at + index),
        payload: { recordid: at + index },
      }));
      await newSourceEvents(tables, { id }, found);
    });
    while ((await processor.tick()) === 0);
  }
  return changeCount / ((performance.now() - began) / 1000);
}

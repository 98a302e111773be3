import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import {
  buildRegistries,
  type Core,
  Delivery,
  type ListedAction,
  preparePlugin,
  systemClock,
  trustedActor,
} from '@horarium/core';
import webhook from '../../../plugins/action-webhook/plugin.ts';
import { benchCore } from '../harness/bench-core.ts';
import { type DatabaseName, openDatabase } from '../harness/databases.ts';
import { quantile } from '../harness/rounds.ts';
import { scheduleWatched, TimedExecutor } from '../harness/timed-executor.ts';
import type { Report } from '../results.ts';

export const name = 'the start of jobs beside 1,000 webhooks to servers that answer after 10 s';
const webhooks = 1000;
/** As many endpoints as it takes for the service to have as many webhooks under way as it ever has. */
const endpoints = 10;
const answerAfter = 10_000;
const watchedJobs = 100;
/** The first jobs are not counted: they wait for code to be compiled and plans to be made. */
const warmUps = 20;
const capacity = 8;
const actor = trustedActor('bench', 'embedded');

/** Measures how long a job waits, from the commit that schedules it to its start, one at a time. */
export async function run(report: Report): Promise<void> {
  for (const database of ['SQLite FULL', 'PostgreSQL'] as const) {
    const { alone, beside, underWay } = await waits(database);
    report.figure(`${database}, p50 from commit to start, without webhooks`, quantile(alone, 0.5), 'ms');
    const target = { max: Math.ceil(quantile(alone, 0.5)) + 5 };
    report.figure(`${database}, p50 beside the webhooks`, quantile(beside, 0.5), 'ms', target);
    report.figure(`${database}, p95 without webhooks`, quantile(alone, 0.95), 'ms');
    report.figure(`${database}, p95 beside the webhooks`, quantile(beside, 0.95), 'ms');
    report.figure(`${database}, webhooks under way meanwhile`, underWay, '', { min: 1 });
  }
}

async function waits(database: DatabaseName) {
  await using opened = await openDatabase(database);
  const servers = await Promise.all(Array.from({ length: endpoints }, slowServer));
  try {
    const prepared = preparePlugin(webhook, { allowed_networks: ['127.0.0.1'] }, systemClock);
    const { actions } = buildRegistries([prepared]);
    const executor = new TimedExecutor();
    const core = benchCore(opened.store, executor, capacity, { actions });
    const quiet = await addTemplate(core, 'quiet', []);
    const urls = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`);
    const loud = await addTemplate(
      core,
      'loud',
      urls.map((url) => ({ action: 'webhook', url })),
    );
    await core.start();
    const alone = await watch(core, executor, quiet);
    for (let job = 0; job < webhooks / endpoints; job += 1) await core.jobs.schedule(actor, { runtemplate_id: loud });
    while ((await count(core, [])) < webhooks) await pause(50);
    // What the claims and the first requests cost is over then, and the requests wait for their answers.
    while ((await underWayOf(core)) === 0) await pause(50);
    const beside = await watch(core, executor, quiet);
    const underWay = await underWayOf(core);
    await core.stop(0);
    return { alone, beside, underWay };
  } finally {
    for (const server of servers) server.closeAllConnections();
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

function slowServer(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    setTimeout(() => response.end('late'), answerAfter);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

function count(core: Core, where: Parameters<Core['deliveries']['count']>[1]['where'] & {}): Promise<number> {
  return core.deliveries.count(actor, { where }, webhooks);
}

/** How many deliveries were attempted and have not arrived. */
function underWayOf(core: Core): Promise<number> {
  return core.store.read((tables) =>
    tables.of(Delivery).count([
      ['state', '=', 'pending'],
      ['attempts', '>', 0],
    ]),
  );
}

async function watch(core: Core, executor: TimedExecutor, runtemplate_id: number): Promise<number[]> {
  const found: number[] = [];
  for (let job = 0; job < warmUps + watchedJobs; job += 1) {
    const { started, scheduledAt } = await scheduleWatched(core, actor, executor, runtemplate_id);
    found.push((await started) - scheduledAt);
  }
  return found.slice(warmUps);
}

/** Adds a template whose jobs end at once, and returns its id. */
async function addTemplate(core: Core, code: string, on_start: readonly ListedAction[]): Promise<number> {
  const { id: app_id } = await core.apps.save(actor, { name: code, executable: 'timed', arguments: ['0'] });
  const { id: company_id } = await core.companies.save(actor, { code, name: code });
  const fields = { name: code, app_id, company_id, executor: 'timed', on_start };
  return (await core.runTemplates.save(actor, { interval: 'none', overlap: 'allow', ...fields })).id;
}

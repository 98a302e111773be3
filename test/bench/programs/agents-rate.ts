import { setTimeout as pause } from 'node:timers/promises';
import type { Store } from '@horarium/core';
import { AgentFleet, onAgents, placement } from '../harness/agents/agent-fleet.ts';
import { benchCore, type CountingExecutor, NoopExecutor } from '../harness/bench-core.ts';
import { openDatabase } from '../harness/databases.ts';
import { ProcessorTime } from '../harness/processor-time.ts';
import { median, timed } from '../harness/rounds.ts';
import { addTemplates, ceilToSecond, type TemplatesDue, waitUntilTasksEnded } from '../harness/templates-due.ts';
import type { Report } from '../results.ts';

export const name = 'agents: 20 of 8 slots each, whose jobs do nothing, in one process that is not the service';
const agents = 20;
const slots = 8;
const jobs = 2000;
const dueAtOnce = 1000;
const rounds = 3;
/** How long before they are due templates are created: the service looks for those of other processes each second. */
const lead = 3000;

/**
 * Measures attempts a second through one and two hosts, from due windows to fulfilled Tasks, and how long after one instant
 * the last of 1,000 jobs starts, beside one process that runs as many jobs at once by itself.
 */
export async function run(report: Report): Promise<void> {
  for (const [database, hosts] of [
    ['SQLite FULL', 1],
    ['PostgreSQL', 1],
    ['PostgreSQL', 2],
  ] as const) {
    await using opened = await openDatabase(database);
    const { store } = opened;
    const place = `${database}, ${hosts === 1 ? 'one host' : `${hosts} hosts`}`;
    await using fleet = await AgentFleet.start(opened, { agents, hosts });
    const executor = new HoldingExecutor();
    for (let index = 1; index <= agents; index++) await fleet.startHere(`agent-${index}`, slots, executor);
    const used = new ProcessorTime({
      'the hosts': () => fleet.hosts.map(({ pid }) => pid),
      'the agents': () => [process.pid],
      'nats-server': () => [fleet.nats.server.pid],
      ...(database === 'PostgreSQL' && { PostgreSQL: () => opened.processes() }),
    });
    await drain(store, executor);
    const rates: number[] = [];
    for (let round = 0; round < rounds; round++) rates.push(await drain(store, executor, used));
    report.figure(place, median(rates), 'attempts/s');
    for (const [who, spent] of Object.entries(used.milliseconds))
      report.figure(`   processor time of an attempt: ${who}`, spent / (jobs * rounds), 'ms');
    report.figure('   all cores in use', 100 * used.utilization, '%');
    const { last, lastOfSlots } = await bursts(store, executor, onAgents.executor, fields);
    report.figure(`${place}, ${dueAtOnce} due at once, the last started after`, last, 'ms');
    report.figure(
      `${place}, a long job for each of ${agents * slots} slots, the last started after`,
      lastOfSlots,
      'ms',
    );
    if (hosts === 2) continue;
    const alone = await burstsHere(database);
    report.figure('   by one process with as many slots: the last of 1,000', alone.last, 'ms');
    report.figure('   the last of the long ones', alone.lastOfSlots, 'ms');
  }
}

/** Templates whose jobs run on agents, past the service. */
const fields = { ...onAgents, placement };

/** @returns how many attempts a second end. */
async function drain(store: Store, executor: CountingExecutor, used?: ProcessorTime): Promise<number> {
  const at = ceilToSecond(Date.now() + lead);
  await addTemplates(store, { count: jobs, executor: onAgents.executor, at, fields });
  const until = executor.started + jobs;
  const untilEnded = async () => {
    await untilStarted(executor, until);
    await waitUntilTasksEnded(store, 20);
  };
  await pause(at - Date.now());
  return jobs / ((await timed(() => used?.measure(untilEnded) ?? untilEnded())) / 1000);
}

/** Returns how long after the instant the last job starts, of many that end at once and of as many long ones as there are slots. */
async function bursts(store: Store, executor: HoldingExecutor, kind: string, more: object) {
  const [last, lastOfSlots]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    last.push(await burst(store, executor, { count: dueAtOnce, executor: kind, fields: more }));
    executor.hold();
    lastOfSlots.push(await burst(store, executor, { count: agents * slots, executor: kind, fields: more }));
  }
  return { last: median(last), lastOfSlots: median(lastOfSlots) };
}

async function burst(store: Store, executor: HoldingExecutor, templates: Omit<TemplatesDue, 'at'>): Promise<number> {
  const at = ceilToSecond(Date.now() + lead);
  await addTemplates(store, { ...templates, at });
  const due = performance.now() + (at - Date.now());
  await untilStarted(executor, executor.started + templates.count);
  executor.release();
  await waitUntilTasksEnded(store, 20);
  return executor.lastStartedAt - due;
}

async function burstsHere(database: 'SQLite FULL' | 'PostgreSQL') {
  await using opened = await openDatabase(database);
  const executor = new HoldingExecutor();
  const core = benchCore(opened.store, executor, agents * slots);
  await core.start();
  const result = await bursts(opened.store, executor, executor.name, {});
  await core.stop(0);
  return result;
}

async function untilStarted(executor: CountingExecutor, count: number): Promise<void> {
  while (executor.started < count) await pause(5);
}

/** An executor whose jobs do nothing; while it holds them they last until it lets them go. */
class HoldingExecutor extends NoopExecutor {
  #held: PromiseWithResolvers<void> | null = null;

  hold(): void {
    this.#held = Promise.withResolvers();
  }

  release(): void {
    this.#held?.resolve();
    this.#held = null;
  }

  override start() {
    const handle = super.start();
    const held = this.#held?.promise;
    return held ? { ...handle, done: held.then(() => handle.done) } : handle;
  }
}

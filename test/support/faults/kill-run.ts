import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Event, Job, type Store, type Tables, WorkerLease } from '@horarium/core';
import { eventually } from '../mocha/eventually.ts';
import { temporaryFolder } from '../mocha/temporary-folder.ts';
import { processesWith } from '../program/processes.ts';
import { checkAudit } from '../simulation/invariants/check-audit.ts';
import { checkEvents } from '../simulation/invariants/check-events.ts';
import { checkTasks } from '../simulation/invariants/check-tasks.ts';
import { Findings, readFinalState } from '../simulation/invariants/findings.ts';
import { ChainLoad } from './chain-load.ts';
import { checkAcknowledgedWrites, checkLostJobs, checkRecordedRuns, checkWindowSteps } from './check-faults.ts';
import { deactivateOnceCaughtUp } from './deactivate-once-caught-up.ts';
import { killServices, type ServiceLifetime } from './kill-services.ts';
import { readRecordedRuns, recordingShell } from './recorded-runs.ts';
import { ServiceWorld, type StoreKind } from './service-world.ts';

export interface KillRunOptions {
  readonly kind: StoreKind;
  readonly seed: number;
  /** How many service processes run at the same time. */
  readonly slots: number;
  readonly kills: number;
}

export interface KillRun {
  /** The violated invariants, a sentence each. */
  readonly violations: readonly string[];
  /** Counts of what happened, which show whether the run tested anything. */
  readonly figures: Readonly<Record<string, number>>;
}

const second = 1000;
/** How many rows the table of the other program has at least, each of which is an event. */
const minRows = 1200;

interface Template {
  readonly name: string;
  /** The length of its windows in milliseconds. */
  readonly step: number;
  /** Jobs whose id this number divides fail; 0 = none. */
  readonly failEvery: number;
  readonly fields: Readonly<Record<string, string | number | boolean>>;
}

/** Templates with a window every few seconds, one for each overlap rule and one with many retries. */
const templates: readonly Template[] = [
  {
    name: 'forbid',
    step: second,
    failEvery: 9,
    fields: { cron: '* * * * * *', overlap: 'forbid', max_attempts: 2, catch_up: 'latest' },
  },
  {
    name: 'allow',
    step: second,
    failEvery: 0,
    fields: { cron: '* * * * * *', overlap: 'allow', max_attempts: 3, catch_up: 'all' },
  },
  {
    name: 'replace',
    step: 2 * second,
    failEvery: 0,
    fields: { cron: '*/2 * * * * *', overlap: 'replace', catch_up: 'none' },
  },
  {
    name: 'retries',
    step: 10 * second,
    failEvery: 1,
    fields: {
      cron: '*/10 * * * * *',
      overlap: 'forbid',
      max_attempts: 8,
      retry_backoff: 'fixed',
      retry_delay: 1,
      catch_up: 'all',
      allow_late: true,
      deadline: '+5s',
    },
  },
];

/** Kills service processes on one store again and again, and checks that the store keeps every invariant. */
export async function killRun({ kind, seed, slots, kills }: KillRunOptions): Promise<KillRun> {
  const folder = temporaryFolder('runs');
  const workFolder = join(folder, 'jobs');
  mkdirSync(workFolder);
  await using world = await ServiceWorld.create(kind, {
    // Short, so that killed workers are reaped soon; long enough that a live one renews it on a busy machine.
    HORARIUM_LEASE: '3s',
    HORARIUM_PLUGIN_OPTIONS: JSON.stringify({
      'executor-native': { folder: workFolder },
      'event-source-changes-table': { sqlite_folders: [folder] },
    }),
  });
  const { token } = await world.run('token:generate', '--user', 'admin', '--ttl', '1h');
  const adHocShell = recordingShell(folder, { mayOverlap: true, failEvery: 5 });
  const adHoc = await world.addTemplate('adhoc', adHocShell, { interval: 'none', overlap: 'allow' });
  const beforeTemplates = Date.now();
  const templatesById = await addTemplates(world, folder);
  const created = [beforeTemplates, Date.now()] as const;

  const chains = await ChainLoad.create(world, folder, [adHoc, ...templatesById.keys()]);

  const start = performance.now();
  const growing = setInterval(() => chains.add(5), 100);
  const killed = await killServices(world, { seed, slots, kills, token, template: adHoc }).finally(() =>
    clearInterval(growing),
  );
  chains.add(minRows - Math.min(chains.rows, minRows));
  const elapsed = performance.now() - start;

  const findings = new Findings();
  findings.violations.push(...killed.violations);
  const store = await world.openStore();
  const { survivors, until } = await drain(world, store, { slots, templates: templatesById, chains }, findings);
  const abandoned = new Set(world.log.flatMap((line) => (line['job_ids'] as number[] | undefined) ?? []));
  const state = await readFinalState(store);
  checkRecordedRuns(state, readRecordedRuns(folder), findings);
  checkLostJobs(state, [...killed.lifetimes, ...survivors], abandoned, findings);
  checkAcknowledgedWrites(state, killed.acknowledged, findings);
  checkTasks(state, findings);
  checkEvents(state, findings);
  chains.check(state, findings);
  chains.close();
  for (const row of state.templates) {
    const template = templatesById.get(row.id);
    const tasks = state.tasks.filter((task) => task.runtemplate_id === row.id);
    if (template) checkWindowSteps(tasks, { step: template.step, created, until }, findings);
  }
  await checkAudit(state, store, findings, world.auditHmac);
  await checkLeftovers(folder, workFolder, findings);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  return {
    violations: findings.violations,
    figures: {
      kills: killed.lifetimes.length,
      'seconds of killing': Math.round(elapsed / second),
      tasks: state.tasks.length,
      jobs: state.jobs.length,
      lost: state.jobs.filter((job) => job.state === 'lost').length,
      retries: state.jobs.filter((job) => job.attempt > 1).length,
      events: state.records.get('Event')?.length ?? 0,
      'jobs of events': state.jobs.filter((job) => job.event_id !== null).length,
      'acknowledged jobs': killed.acknowledged.jobs.length,
      'acknowledged topics': killed.acknowledged.topics.length,
      'audit entries': state.log.length,
    },
  };
}

/** Adds the templates, whose jobs record their runs in the folder. @returns the templates by their ids. */
async function addTemplates(world: ServiceWorld, folder: string): Promise<ReadonlyMap<number, Template>> {
  const byId = new Map<number, Template>();
  for (const template of templates) {
    const { name, failEvery, fields } = template;
    const shell = recordingShell(folder, { mayOverlap: fields['overlap'] === 'allow', failEvery });
    byId.set(await world.addTemplate(name, shell, { interval: 'custom', ...fields }), template);
  }
  return byId;
}

/**
 * Starts services once more and waits until they have reaped the killed workers, caught up with the windows, ended the
 * overdue Tasks and run every job; then stops them as an operator does.
 * @returns the lifetimes of these services, which were not killed, and an instant after the templates were deactivated.
 */
async function drain(
  world: ServiceWorld,
  store: Store,
  {
    slots,
    templates,
    chains,
  }: { readonly slots: number; readonly templates: ReadonlyMap<number, Template>; readonly chains: ChainLoad },
  findings: Findings,
): Promise<{ readonly survivors: readonly ServiceLifetime[]; readonly until: number }> {
  const started = await Promise.all(Array.from({ length: slots }, () => world.startService()));
  const services = started.map(({ service }) => service);
  const survivors = services.map(({ process }) => ({ pid: process.pid as number, to: Infinity }));
  const restarted = Date.now();
  const read = <T>(work: (tables: Tables) => Promise<T>) => store.transaction(work, { readOnly: true });
  const pids = survivors.map(({ pid }) => pid);
  await eventually('the dead workers are reaped', () =>
    read(async (tables) =>
      (await tables.of(WorkerLease).find({})).every(({ pid, lost_at }) => lost_at !== null || pids.includes(pid)),
    ),
  );
  const until = await deactivateOnceCaughtUp(world, store, templates, restarted);
  const isIdle = (tables: Tables) =>
    tables
      .of(Job)
      .count(
        [
          ['state', 'in', ['scheduled', 'running']],
          ['executor', '=', 'native'],
        ],
        1,
      )
      .then((count) => count === 0);
  await eventually('every job that workers run has ended, and every row is an event that was processed', () =>
    read(
      async (tables) =>
        (await isIdle(tables)) &&
        (await tables.of(Event).count([['kind', '=', 'source']])) === chains.rows &&
        (await tables.of(Event).count([['state', '=', 'pending']], 1)) === 0 &&
        // The last event may have made another one.
        isIdle(tables),
    ),
  );
  for (const { process } of services) process.kill('SIGTERM');
  const codes = await Promise.all(services.map(({ ended }) => ended));
  findings.check(
    codes.every((code) => code === 0),
    () => `The last services ended with ${codes.join(', ')}.`,
  );
  return { survivors, until };
}

/** Checks that no process of a job and no working directory outlives the services. */
async function checkLeftovers(folder: string, workFolder: string, findings: Findings): Promise<void> {
  const leftOver = processesWith(folder);
  for (const pid of leftOver) process.kill(pid, 'SIGKILL');
  findings.check(leftOver.length === 0, () => `${leftOver.length} processes of jobs are left over.`);
  const areGone = () => readdirSync(workFolder).length === 0;
  await eventually('the working directories are gone', areGone).catch((error: Error) =>
    findings.violations.push(error.message),
  );
}

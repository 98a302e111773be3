import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Job, Task, WorkerLease } from '@horarium/core';
import { eventually } from '../mocha/eventually.ts';
import { temporaryFolder } from '../mocha/temporary-folder.ts';
import { processesWith } from '../program/processes.ts';
import { checkAudit } from '../simulation/invariants/check-audit.ts';
import { checkTasks } from '../simulation/invariants/check-tasks.ts';
import { Findings, readFinalState } from '../simulation/invariants/findings.ts';
import { checkAcknowledgedWrites, checkLostJobs, checkRecordedRuns, checkWindowSteps } from './check-faults.ts';
import { killServices } from './kill-services.ts';
import { recordedRuns, recordingShell } from './recorded-runs.ts';
import { ServiceWorld, type StoreKind } from './service-world.ts';

export interface KillRunOptions {
  readonly kind: StoreKind;
  readonly seed: number;
  /** How many service processes run at the same time. */
  readonly lanes: number;
  readonly kills: number;
}

export interface KillRun {
  /** The violated invariants, a sentence each. */
  readonly violations: readonly string[];
  /** Counts of what happened, which show whether the run tested anything. */
  readonly figures: Readonly<Record<string, number>>;
}

const second = 1000;

/** Templates with a window every few seconds, for each overlap rule; jobs whose number `fails` divides fail. */
const templates = [
  {
    name: 'forbid',
    step: second,
    overlap: 'forbid',
    fails: 9,
    fields: { cron: '* * * * * *', max_attempts: 2, catch_up: 'latest' },
  },
  {
    name: 'allow',
    step: second,
    overlap: 'allow',
    fails: 0,
    fields: { cron: '* * * * * *', overlap: 'allow', max_attempts: 3, catch_up: 'all' },
  },
  {
    name: 'replace',
    step: 2 * second,
    overlap: 'forbid',
    fails: 0,
    fields: { cron: '*/2 * * * * *', overlap: 'replace', catch_up: 'none' },
  },
  {
    name: 'patient',
    step: 10 * second,
    overlap: 'forbid',
    fails: 2,
    fields: {
      cron: '*/10 * * * * *',
      max_attempts: 8,
      retry_backoff: 'fixed',
      retry_delay: 1,
      catch_up: 'all',
      allow_late: true,
      deadline: '+5s',
    },
  },
] as const;

/** Kills service processes on one store again and again, and checks that the store keeps every invariant. */
export async function killRun({ kind, seed, lanes, kills }: KillRunOptions): Promise<KillRun> {
  const folder = temporaryFolder('runs');
  const jobs = join(folder, 'jobs');
  mkdirSync(jobs);
  const options = { 'executor-native': { folder: jobs } };
  await using world = await ServiceWorld.create(kind, {
    // Short, so that killed workers are reaped soon; long enough that a live one renews it on a busy machine.
    HORARIUM_LEASE: '3s',
    HORARIUM_PLUGIN_OPTIONS: JSON.stringify(options),
  });
  const { token } = await world.run('token:generate', '--user', 'admin', '--ttl', '1h');
  const adhoc = await world.addTemplate('adhoc', recordingShell(folder, 'allow', 5), {
    interval: 'none',
    overlap: 'allow',
  });
  const templatesById = new Map<number, (typeof templates)[number]>();
  for (const template of templates) {
    const shell = recordingShell(folder, template.overlap === 'allow' ? 'allow' : 'forbid', template.fails);
    templatesById.set(
      await world.addTemplate(template.name, shell, { interval: 'custom', ...template.fields }),
      template,
    );
  }

  const began = performance.now();
  const {
    lifetimes: killed,
    acknowledged,
    violations,
  } = await killServices(world, { seed, lanes, kills, token, template: adhoc });

  const ended = performance.now();
  const lastServices = await Promise.all(Array.from({ length: lanes }, () => world.startService()));
  const survivors = lastServices.map(({ service }) => ({
    pid: service.process.pid as number,
    from: Date.now(),
    to: Infinity,
  }));
  const store = await world.openStore();
  const pids = survivors.map(({ pid }) => pid);
  const read = <T>(work: Parameters<typeof store.transaction<T>>[0]) => store.transaction(work, { readOnly: true });
  await eventually('the dead workers are reaped', () =>
    read(async (tables) => (await tables.of(WorkerLease).find({})).every(({ pid }) => pids.includes(pid))),
  );
  await eventually('no open Task is past its last moment', () =>
    read(async (tables) => {
      const overdue = [
        ['state', '=', 'open'],
        ['start_deadline', '<', (await tables.now()) - second],
      ] as const;
      return (await tables.of(Task).count(overdue)) === 0;
    }),
  );
  for (const id of templatesById.keys()) await world.run('runtemplate:save', '--id', String(id), '--active', 'false');
  await eventually('every job has ended', () =>
    read(async (tables) => (await tables.of(Job).count([['state', 'in', ['scheduled', 'running']]])) === 0),
  );
  for (const { service } of lastServices) service.process.kill('SIGTERM');
  const codes = await Promise.all(lastServices.map(({ service }) => service.ended));

  const findings = new Findings();
  findings.violations.push(...violations);
  findings.check(
    codes.every((code) => code === 0),
    () => `The last services ended with ${codes.join(', ')}.`,
  );
  const state = await readFinalState(store);
  const recorded = recordedRuns(folder);
  checkRecordedRuns(state, recorded, findings);
  checkLostJobs(state, [...killed, ...survivors], findings);
  checkAcknowledgedWrites(state, acknowledged, findings);
  checkTasks(state, findings);
  for (const row of state.templates) {
    const template = templatesById.get(row.id);
    const tasks = state.tasks.filter((task) => task.runtemplate_id === row.id);
    if (template) checkWindowSteps(tasks, { step: template.step, from: row.created_at, to: row.updated_at }, findings);
  }
  await checkAudit(state, store, findings, world.auditHmac);
  const leftOver = processesWith(folder);
  for (const pid of leftOver) process.kill(pid, 'SIGKILL');
  findings.check(leftOver.length === 0, () => `${leftOver.length} processes of jobs are left over.`);
  await eventually('the working directories are gone', () => readdirSync(jobs).length === 0, 15_000).catch((error) =>
    findings.violations.push((error as Error).message),
  );
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  return {
    violations: findings.violations,
    figures: {
      kills: killed.length,
      'seconds of killing': Math.round((ended - began) / second),
      tasks: state.tasks.length,
      jobs: state.jobs.length,
      lost: state.jobs.filter((job) => job.state === 'lost').length,
      retries: state.jobs.filter((job) => job.attempt > 1).length,
      'acknowledged jobs': acknowledged.jobs.length,
      'acknowledged topics': acknowledged.topics.length,
      'audit entries': state.log.length,
    },
  };
}

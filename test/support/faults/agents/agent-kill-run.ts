import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allResources, Job, type Store } from '@horarium/core';
import { jetstreamManager } from '@nats-io/jetstream';
import { Subjects } from '../../../../plugins/fleet-nats/wire/subjects.ts';
import { eventually } from '../../mocha/eventually.ts';
import { temporaryFolder } from '../../mocha/temporary-folder.ts';
import { checkAudit } from '../../simulation/invariants/check-audit.ts';
import { checkTasks } from '../../simulation/invariants/check-tasks.ts';
import { Findings, readFinalState } from '../../simulation/invariants/findings.ts';
import { checkAcknowledgedWrites, checkRecordedRuns, checkWindowSteps } from '../check-faults.ts';
import { type Acknowledged, type ClientOptions, scheduleJobs } from '../client.ts';
import { deactivateOnceCaughtUp } from '../deactivate-once-caught-up.ts';
import type { KillRun } from '../kill-run.ts';
import { readRecordedRuns } from '../recorded-runs.ts';
import type { StoreKind } from '../service-world.ts';
import { AgentField, openFolder } from './agent-field.ts';
import { addAgentTemplates } from './agent-load.ts';
import { checkAcknowledgedEnds, checkLeft, checkLostOnAgents } from './check-agent-runs.ts';
import { killVictims } from './kill-victims.ts';

export interface AgentKillRunOptions {
  readonly kind: StoreKind;
  readonly seed: number;
  readonly kills: number;
  /** The longest time between two kills, in milliseconds. */
  readonly interval: number;
  /** Takes what was killed so far. */
  readonly onProgress?: (sentence: string) => void;
}

const second = 1000;
const patience = 300 * second;

/** What a process may say that ends by itself: what it needs at its start is gone. */
const mayEnd = /NATS server|PostgreSQL at \S+ \(database \S+\) (?:does not answer|has closed the connection)/;

/**
 * Kills agents, hosts, NATS servers and the database at random under load, and checks that no attempt ran twice, that each
 * window has its answer, and that nothing is missing of what JetStream has acknowledged.
 */
export async function agentKillRun(options: AgentKillRunOptions): Promise<KillRun> {
  const folder = openFolder(temporaryFolder('agent-runs'));
  const findings = new Findings();
  const acknowledged: Acknowledged = { jobs: [], topics: [] };
  const requesting = new AbortController();
  let client: Omit<ClientOptions, 'url' | 'name'> | undefined;
  await using field = await AgentField.create(options.kind, async (host) => {
    const match = await host.waitForOutput(/^listening on (\S+)$/m).catch(() => null);
    if (!match || !client) return;
    const pace = { interval: second, signal: requesting.signal };
    await scheduleJobs({ ...client, url: match[1] as string }, pace).catch(() => {});
  });
  const { service } = field.world;
  const { token } = await service.run('token:generate', '--user', 'admin', '--ttl', '12h');
  const before = Date.now();
  const templates = await addAgentTemplates(field.world, folder);
  const created = [before, Date.now()] as const;
  const [template] = [...templates].flatMap(([id, { step }]) => (step === null ? [id] : []));
  client = { token, template: template as number, acknowledged, onWrite: () => {}, unexpected: findings.violations };

  for (const each of [...field.hosts, ...field.agents]) each.start();
  const start = performance.now();
  let counts: Readonly<Record<string, number>> = {};
  const onKill = (killed: Readonly<Record<string, number>>) => {
    counts = { ...killed };
    const all = Object.values(killed).reduce((sum, count) => sum + count, 0);
    const kinds = Object.entries(killed).map(([kind, count]) => `${kind} ${count}`);
    const minutes = ((performance.now() - start) / 60_000).toFixed(1);
    if (all % 10 === 0)
      options.onProgress?.(`${all} of ${options.kills} kills in ${minutes} min (${kinds.join(', ')})`);
  };
  findings.violations.push(...(await killVictims(field.victims, { ...options, lease: field.lease, onKill })));
  requesting.abort('over');
  const restarted = Date.now();
  const store = await service.openStore();
  const windowed = new Map(
    [...templates].flatMap(([id, { step }]) => (step === null ? [] : [[id, { step }] as const])),
  );
  const until = await settle(field, store, windowed, restarted, findings);
  const idle = Date.now();
  const state = await readFinalState(store);
  const recorded = readRecordedRuns(folder);
  checkRecordedRuns(state, recorded, findings, { ownIds: true });
  checkAcknowledgedWrites(state, acknowledged, findings);
  checkTasks(state, findings);
  for (const [id, { step }] of windowed) {
    const tasks = state.tasks.filter(({ runtemplate_id }) => runtemplate_id === id);
    checkWindowSteps(tasks, { step, created, until }, findings);
  }
  checkLostOnAgents(state, field.agents, findings);
  checkAcknowledgedEnds(state, field.reports.seen, findings);
  await checkLeft(state, store, findings);
  // Agents and pools are records of the plugin.
  const known = new Set(allResources.map(({ name }) => name));
  const log = state.log.filter(({ entity_type }) => known.has(entity_type));
  await checkAudit({ ...state, log }, store, findings, service.auditHmac);
  checkExits(field, findings);
  if (findings.violations.length > 0) findings.violations.push(`The logs are in ${keepLogs(field, folder)}.`);
  else rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  return {
    violations: findings.violations,
    figures: {
      kills: options.kills,
      ...counts,
      'seconds of killing': Math.round((restarted - created[1]) / second),
      'seconds until idle': Math.round((idle - restarted) / second),
      tasks: state.tasks.length,
      'tasks fulfilled in time': state.tasks.filter((task) => task.state === 'fulfilled').length,
      jobs: state.jobs.length,
      lost: state.jobs.filter((job) => job.state === 'lost').length,
      retries: state.jobs.filter((job) => job.attempt > 1).length,
      'recorded runs': recorded.runs.length,
      'runs that were cut off': recorded.runs.filter(({ to }) => to === null).length,
      'acknowledged jobs': acknowledged.jobs.length,
      'acknowledged reports that were seen': field.reports.seen.length,
      'acknowledged ends that were seen': field.reports.seen.filter(({ report }) => report.event.kind === 'ended')
        .length,
      'audit entries': state.log.length,
    },
  };
}

/**
 * Waits until agents and hosts have ended all jobs and taken all reports in, and no process of a job is left; then stops them
 * as an operator does.
 * @returns an instant after the templates were deactivated.
 */
async function settle(
  field: AgentField,
  store: Store,
  windowed: ReadonlyMap<number, { readonly step: number }>,
  restarted: number,
  findings: Findings,
): Promise<number> {
  const { service } = field.world;
  const until = await deactivateOnceCaughtUp(service, store, windowed, restarted).catch((error: Error) => {
    findings.violations.push(error.message);
    return Date.now();
  });
  await orViolation(findings, 'every job has ended', async () =>
    store.transaction(
      async (tables) => (await tables.of(Job).count([['state', 'in', ['scheduled', 'running']]], 1)) === 0,
      { readOnly: true },
    ),
  );
  const subjects = new Subjects('horarium');
  const observer = await field.world.connectObserver();
  try {
    const manager = await jetstreamManager(observer);
    // Also the stream is to be empty: what stays there was acknowledged to an agent, and may be in no ledger. Servers that were
    // killed may have a consumer that is ahead of its stream.
    await orViolation(findings, 'every report is taken in, and JetStream knows it', async () => {
      const { state } = await manager.streams.info(subjects.reportsStream);
      const consumer = await manager.consumers.info(subjects.reportsStream, subjects.reportsConsumer);
      const waiting = state.messages + consumer.num_pending + consumer.num_ack_pending;
      return waiting === 0 && consumer.ack_floor.stream_seq >= state.last_seq;
    });
  } finally {
    await observer.close();
  }
  await orViolation(findings, 'no process of a job is left', () => service.countJobProcesses() === 0);
  for (const each of [...field.agents, ...field.hosts]) {
    const code = await each.stop();
    findings.check(code === 0, () => `${each.name} ended with ${code}, although it was asked to.`);
  }
  const { code, out, err } = await service.cli.command('audit:verify');
  findings.check(code === 0, () => `audit:verify: ${out}${err}`);
  return until;
}

/** Waits as `eventually`, but so that the other promises are checked as well when it does not come true. */
async function orViolation(findings: Findings, what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  await eventually(what, holds, patience).catch((error: Error) => void findings.violations.push(error.message));
}

/** Checks that processes ended by themselves only while what they need was gone. */
function checkExits({ agents, hosts }: AgentField, findings: Findings): void {
  for (const exit of [...agents, ...hosts].flatMap(({ exits }) => exits)) findings.check(mayEnd.test(exit), () => exit);
}

/** Writes what the processes have logged. @returns the folder. */
function keepLogs({ agents, hosts }: AgentField, folder: string): string {
  for (const { name, lifetimes } of [...agents, ...hosts])
    lifetimes.forEach(({ program, from, to }, index) => {
      const header = `${new Date(from).toISOString()} to ${to === Infinity ? 'the end' : new Date(to).toISOString()}\n`;
      writeFileSync(join(folder, `${name} ${index}.log`), `${header}${program.out}${program.err}`);
    });
  return folder;
}

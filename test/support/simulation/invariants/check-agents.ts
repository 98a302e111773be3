import type { JobRow } from '@horarium/core';
import { hasLabels, readPlacement } from '#core/executor/placement';

import { fleetExecutor } from '../fleet/fleet-executor.ts';
import type { AttemptRecord, FleetRecord } from '../fleet/fleet-record.ts';
import type { AgentSpec } from '../fleet/simulated-agent.ts';
import type { SimulationResult } from '../simulation.ts';
import type { Span } from '../world/span.ts';
import type { AgentState } from './agent-state.ts';
import { type FinalState, type Findings, groupBy, isoTime } from './findings.ts';

/** How far the time of the service may be from the right one while a jump of the clock is held. */
const tolerance = 8000;
/** How much later than it was the end of an attempt may be stored: its report may have been late. */
const maxDelay = 22_000;
/**
 * The maximum time until the end of an attempt is stored while hosts are connected to the broker. Each host that begins once
 * its agent has begun again lets it live for one more lease.
 */
const maxSilence = 5 * 60_000;

type Check = (holds: boolean, sentence: () => string) => void;

/**
 * Checks the ledger of attempts on agents against what happened on them: each was started once or not at all, its end and
 * its output are those that it had, and none counts that its agent gave up.
 */
export function checkAgents(
  { jobs }: FinalState,
  result: Pick<SimulationResult, 'fleet' | 'time' | 'outages' | 'wasSetBack'>,
  state: AgentState,
  findings: Findings,
): void {
  const { fleet } = result;
  if (!fleet) return;
  const { record, specs } = fleet;
  for (const violation of record.violations) findings.check(false, () => violation);
  const { leases, live } = state;
  findings.check(
    leases.length === 0,
    () => `Leases are left of jobs ${leases.map(({ job_id }) => job_id).join(', ')}.`,
  );
  const unseen = [...specs.keys()].filter((name) => !live.includes(name));
  findings.check(unseen.length === 0, () => `The agents ${unseen.join(', ')} are alive, but were not seen.`);
  const byJob = groupBy(record.attempts, ({ jobId }) => jobId);
  for (const job of jobs.filter(({ executor, worker }) => executor === fleetExecutor.name && worker !== null)) {
    const check: Check = (holds, sentence) =>
      findings.check(holds, () => `Job ${job.id} (${job.state}, ${job.reason}) of ${job.worker}: ${sentence()}`);
    check(suits(job, specs.get(job.worker?.slice('agent:'.length) ?? '')), () => 'it is not for this agent.');
    // Before, it may have been given to agents that did not start it.
    const attempt = byJob.get(job.id)?.findLast(({ agent }) => `agent:${agent}` === job.worker);
    const run = record.runs.find(({ jobId }) => jobId === job.id);
    if (run && attempt) checkResult(job, attempt, { record, state }, check);
    else checkUnstarted(job, attempt, record, check);
    checkTimes(job, { attempt, end: run?.to ?? null }, result, check);
  }
}

function suits({ placement, company_id }: JobRow, agent: AgentSpec | undefined): boolean {
  if (!agent || placement === null) return false;
  const { pool, labels } = readPlacement(placement);
  const companies = agent.pools.get(pool);
  return companies !== undefined && (companies?.has(company_id) ?? true) && hasLabels(agent.labels, labels);
}

/** The reasons of attempts that are lost without a report of their end. */
const unreported =
  /^(?:no heartbeat of its agent \S+ reached the service before its lease ran out|its agent never started it)$/;

/** Whether the ledger has an end that the agent reported. */
function isReported({ state, exit_code, signal, reason }: JobRow): boolean {
  return exit_code !== null || signal !== null || (state === 'lost' && !unreported.test(reason ?? ''));
}

function checkResult(
  job: JobRow,
  { end, printed, file, isEndKept }: AttemptRecord,
  { record, state: { outputs, files } }: { readonly record: FleetRecord; readonly state: AgentState },
  check: Check,
): void {
  const isWhole = isReported(job);
  const output = outputs.get(job.id);
  for (const stream of ['stdout', 'stderr'] as const) {
    const [stored, whole] = [output?.[stream] ?? '', printed[stream]];
    check(
      isWhole ? stored === whole : whole.startsWith(stored),
      () => `its ${stream} is ${JSON.stringify(stored)}, but it printed ${JSON.stringify(whole)}.`,
    );
  }
  const stored = files.get(job.id) ?? [];
  const isFileRight =
    file === null || (!isWhole && stored.length === 0) ? stored.length === 0 : stored.join('|') === file;
  check(isFileRight, () => `its files are ${JSON.stringify(stored)}, but it left ${JSON.stringify(file)}.`);
  if (isWhole)
    check(
      end?.exitCode === job.exit_code && end.signal === job.signal,
      () => `it ended with ${end?.exitCode ?? end?.signal}, not with ${job.exit_code ?? job.signal}.`,
    );
  else
    check(
      !isEndKept || record.lostUnread.has(job.id),
      () => 'it was called lost, although its end was reported within its lease.',
    );
}

/** An attempt that was not started counts only where its agent reported that it would start it, and then could not. */
function checkUnstarted(job: JobRow, attempt: AttemptRecord | undefined, record: FleetRecord, check: Check): void {
  // What could not be prepared, or was not wanted any more when it was taken back.
  if (job.state === 'failed' || job.state === 'cancelled' || job.reason === 'its agent never started it') return;
  check(
    record.lostUnread.has(job.id) || attempt?.end != null || attempt?.hasDied === true,
    () => `it counts since ${isoTime(job.started_at)}, but was not started.`,
  );
}

/** Checks that the stored end is the right one where it was reported, and else that the attempt was called lost soon. */
function checkTimes(
  job: JobRow,
  { attempt, end }: { readonly attempt: AttemptRecord | undefined; readonly end: number | null },
  { fleet, time, outages, wasSetBack }: Pick<SimulationResult, 'fleet' | 'time' | 'outages' | 'wasSetBack'>,
  check: Check,
): void {
  const { started_at, finished_at } = job;
  if (wasSetBack || started_at === null || finished_at === null) return;
  const from = end === null ? started_at : time.storeTimeOf(end);
  if (attempt?.end && isReported(job)) checkEnd({ started_at, finished_at }, attempt.end.at, time, check);
  const disconnections = (fleet?.record.disconnections ?? []).map((span) => ({
    from: time.storeTimeOf(span.from),
    to: time.storeTimeOf(span.to),
  }));
  check(
    finished_at - from - spanned([...outages, ...disconnections], from, finished_at) <= maxSilence,
    () => `it ended at ${isoTime(from)}, which was known at ${isoTime(finished_at)}.`,
  );
}

/** Checks the time of an end that was reported. */
function checkEnd(
  { started_at, finished_at }: { readonly started_at: number; readonly finished_at: number },
  end: number,
  time: SimulationResult['time'],
  check: Check,
): void {
  const { first, last } = time.storeTimesOf(end);
  check(
    first - tolerance <= finished_at && finished_at <= Math.max(last, started_at) + tolerance + maxDelay,
    () => `it ended at ${isoTime(first)}, not at ${isoTime(finished_at)}.`,
  );
}

/** Returns how much of the time between two moments lies in the spans. */
function spanned(spans: readonly Span[], from: number, to: number): number {
  return spans.reduce((sum, span) => sum + Math.max(0, Math.min(span.to, to) - Math.max(span.from, from)), 0);
}

import { conflict } from '../errors.ts';
import type { AgentExecutor } from '../executor/agent-executor.ts';
import type { Attempt } from '../executor/executor.ts';
import { hasLabels, type Placement, readPlacement } from '../executor/placement.ts';
import type { InputFile } from '../job/artifact.ts';
import { Job, type JobRow } from '../job/job.ts';
import { runningUnder } from '../job/stop-requests.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { takeTurns } from '../queue/turns.ts';
import type { Where } from '../store/query.ts';
import { required } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { newRow } from '../store/table.ts';
import { claimQueued } from '../worker/claim-jobs.ts';
import { readPlacedJobs } from '../worker/due-jobs.ts';
import { attemptOutcome } from '../worker/finish/attempt-outcome.ts';
import { finishJobs } from '../worker/finish/finish-jobs.ts';
import { workerOf } from '../worker/lease/agent-presence.ts';
import { markRunning } from '../worker/mark-running.ts';
import type { Claim } from '../worker/overlap.ts';
import { type PreparationContext, type PreparedAttempt, prepareAttempts } from '../worker/prepare-attempts.ts';
import { claimReserved, type Reservation, reserve } from '../worker/reservation.ts';
import type { Worker } from '../worker/worker.ts';
import { AgentLease, type AgentLeaseRow } from './agent-lease.ts';

/** A request of an agent for attempts. */
export interface AgentClaim {
  readonly agent: string;
  /** A random id, never used again. */
  readonly claim: string;
  /** The pools that it belongs to, each with the companies whose jobs it may run there; null = all of them. */
  readonly pools: ReadonlyMap<string, ReadonlySet<number> | null>;
  readonly labels: Placement['labels'];
  /** The executors that it has. */
  readonly executors: ReadonlySet<string>;
  /** How many attempts it runs at once. */
  readonly slots: number;
  /** How many it wants. */
  readonly max: number;
  /** How long its lease lasts. */
  readonly lease: Milliseconds;
}

/** An attempt that an agent is to start, with its secrets. */
export interface ClaimedAttempt {
  readonly jobId: number;
  /** The executor on the machine of the agent. */
  readonly executor: string;
  /** Its options are those of that executor. */
  readonly attempt: Omit<Attempt, 'files'>;
  readonly files: readonly InputFile[];
}

/** What a claim gives. */
export interface AgentClaims {
  readonly attempts: readonly ClaimedAttempt[];
  /** A job that may end the host that prepares it, counted instead: it is claimed alone, once that is committed; null = none. */
  readonly reserved: Reservation | null;
}

/** How many placements are looked at in one claim, and how many are listed that have work. */
const maxPlacements = 64;

export interface PlacedWork {
  /** The placements that have due jobs. */
  readonly due: readonly string[];
  /** When the next job for agents is due that is not yet; Infinity = none is queued. */
  readonly next: Instant;
}

/** Lists the placements that have due jobs, and says when to look again. */
export async function readPlacedWork(tables: Tables): Promise<PlacedWork> {
  const now = await tables.now();
  const later = [
    ['queue_at', '>', now],
    ['placement', '!=', null],
  ] as const;
  const [next] = await tables
    .of(Job)
    .find({ where: later, order: [['queue_at', 'asc']], limit: 1, columns: ['queue_at'] });
  return { due: await placementsWithWork(tables, now), next: next?.queue_at ?? Infinity };
}

/** Steps through the placements by an index, so that the cost does not grow with the jobs that one of them has due. */
async function placementsWithWork(tables: Tables, now: Instant): Promise<string[]> {
  const found: string[] = [];
  while (found.length < maxPlacements) {
    await yieldToEventLoop();
    const where: Where<JobRow> = [
      ['placement', '>', found.at(-1) ?? ''],
      ['queue_at', '<=', now],
    ];
    const [first] = await tables
      .of(Job)
      .find({ where, order: [['placement', 'asc']], limit: 1, columns: ['placement'] });
    if (!first?.placement) break;
    found.push(first.placement);
  }
  return found;
}

/** What a claim needs besides the preparation of attempts. */
export interface ClaimContext extends PreparationContext {
  /** The worker of this process, which knows whether another one may have been ended by a job that it prepared. */
  readonly worker: Pick<Worker, 'epoch'>;
  readonly executors: ReadonlyMap<string, AgentExecutor>;
  /** Called after the commit of a claim of jobs that could not start, because others may be due. */
  onJobs?(): void;
  /** The company that was last served of each placement, so that they take turns. */
  readonly lastServed: Map<string, number>;
}

/**
 * Claims due jobs for an agent by the same rules as workers of the service claim theirs, marks them running under a lease
 * of its own for each, and returns what the agent starts. Jobs that cannot start end as failed. One that may end the process
 * which prepares it is reserved, so that the caller goes on in a transaction of its own.
 * @param reservedBefore what the same claim has reserved, which is prepared alone but for what can end nothing.
 * @throws HorariumError `conflict` when the claim was answered already.
 */
export async function claimForAgent(
  tables: Tables,
  request: AgentClaim,
  context: ClaimContext,
  reservedBefore: Reservation | null,
): Promise<AgentClaims> {
  const known: Where<AgentLeaseRow> = [['claim', '=', request.claim]];
  if (!reservedBefore && (await tables.of(AgentLease).count(known, 1)) > 0)
    throw conflict(`The claim ${request.claim} of the agent ${request.agent} was answered already.`);
  const attempts = reservedBefore ? await startReserved(tables, reservedBefore, request, context) : [];
  const { due } = await readPlacedWork(tables);
  let reserved: Reservation | null = null;
  for (const placement of due) {
    const max = request.max - attempts.length;
    // What is reserved has a place, which nothing counts until it runs.
    if (max <= 0 || reserved) break;
    await yieldToEventLoop();
    if (!suits(request, placement)) continue;
    // Started before the next placement is looked at, so that limits count them.
    const claims = await claimPlaced(tables, placement, { ...request, max }, context);
    const suspects = await suspectsAmong(tables, claims, context);
    const [suspect] = suspects;
    if (suspect) reserved = await reserve(tables, suspect, (await tables.now()) + request.lease);
    const innocent = claims.filter((claim) => !suspects.includes(claim));
    attempts.push(...(await startClaims(tables, innocent, request, context)));
  }
  return { attempts, reserved };
}

/** Claims a reserved job, if it may still start. */
async function startReserved(
  tables: Tables,
  reserved: Reservation,
  request: AgentClaim,
  context: ClaimContext,
): Promise<ClaimedAttempt[]> {
  const claims = await withCurrentPlacement(tables, await claimReserved(tables, reserved));
  return startClaims(tables, claims, request, context);
}

/** Returns those whose preparation may end this process, as it may have ended others. */
async function suspectsAmong(
  tables: Tables,
  claims: readonly Claim[],
  { worker }: ClaimContext,
): Promise<readonly Claim[]> {
  if (claims.length === 0 || (await worker.epoch.hasSilentOther(tables))) return claims;
  return claims.filter(({ job }) => job.claims > 0);
}

function suits({ pools, executors, labels }: AgentClaim, placement: string): boolean {
  const { pool, executor, labels: wanted } = readPlacement(placement);
  return pools.has(pool) && executors.has(executor) && hasLabels(labels, wanted);
}

/** Claims due jobs of one placement. */
async function claimPlaced(
  tables: Tables,
  placement: string,
  { agent, pools, slots: capacity, max }: AgentClaim,
  { lastServed }: ClaimContext,
): Promise<Claim[]> {
  const counts = await tables.of(Job).countBy(['company_id'], runningUnder(workerOf(agent)));
  const used = new Map(counts.map(({ values: [company], count }) => [company, count]));
  const contenders = await readPlacedJobs(tables, placement, {
    slots: { capacity, used },
    max,
    last: lastServed.get(placement) ?? 0,
    companies: pools.get(readPlacement(placement).pool) ?? null,
    isShared: isShared(pools),
  });
  const taken = takeTurns(contenders, max);
  const last = taken.at(-1)?.company_id;
  if (last !== undefined) lastServed.set(placement, last);
  return withCurrentPlacement(tables, (await claimQueued(tables, taken)).claims);
}

/** Whether the pools together are for more than one company. */
function isShared(pools: AgentClaim['pools']): boolean {
  const companies = new Set<number>();
  for (const ofPool of pools.values()) {
    if (!ofPool) return true;
    for (const company of ofPool) companies.add(company);
  }
  return companies.size > 1;
}

/** Prepares claimed jobs, marks them running under leases, and returns those that start. */
async function startClaims(
  tables: Tables,
  claims: readonly Claim[],
  { agent, claim, lease }: AgentClaim,
  context: ClaimContext,
): Promise<ClaimedAttempt[]> {
  const prepared = await prepareAttempts(tables, claims, context, { keepsKey: true });
  const worker = workerOf(agent);
  await markRunning(tables, worker, prepared);
  await failRefused(tables, prepared, worker, context);
  const started = prepared.filter(({ refusal }) => refusal === null);
  const ends_at = (await tables.now()) + lease;
  const leases = started.map(({ attempt: { jobId } }) => newRow(AgentLease, { job_id: jobId, agent, claim, ends_at }));
  if (leases.length > 0) await tables.of(AgentLease).insert(leases);
  return started.map((attempt) => assigned(attempt, context));
}

/** Leaves out jobs whose template has another placement by now, and moves them there. */
async function withCurrentPlacement(tables: Tables, claims: readonly Claim[]): Promise<Claim[]> {
  const moved = claims.filter(({ job, template }) => job.placement !== template.placement);
  for (const { job, template } of moved) {
    await yieldToEventLoop();
    await tables.of(Job).updateWhere([['id', '=', job.id]], { placement: template.placement });
  }
  return claims.filter((claim) => !moved.includes(claim));
}

/** Ends the jobs that cannot start, as a worker of the service does. */
async function failRefused(
  tables: Tables,
  prepared: readonly PreparedAttempt[],
  worker: string,
  { onJobs }: ClaimContext,
): Promise<void> {
  const refused = prepared.filter(({ refusal }) => refusal !== null);
  if (refused.length === 0) return;
  const finishedAt = await tables.now();
  const nothing = { exitCode: null, signal: null, timedOut: false, files: [] };
  const attempts = refused.map(({ claim, refusal, exitCodes, isFinal }) => {
    const outcome = attemptOutcome({ ...nothing, reason: refusal, finishedAt }, exitCodes, null);
    const { id: jobId, runtemplate_id: templateId } = claim.job;
    const unknown = { exitCode: null, signal: null, peakMemory: null, pid: null };
    return { ...outcome, ...unknown, final: outcome.final || isFinal, jobId, templateId, worker, finishedAt };
  });
  await finishJobs(tables, attempts);
  if (onJobs) tables.afterCommit(onJobs);
}

/** Returns what the agent is to start. */
function assigned({ claim, attempt }: PreparedAttempt, { executors }: ClaimContext): ClaimedAttempt {
  const { files: _files, ...rest } = attempt;
  const { executor, options } = required(
    executors.get(claim.job.executor),
    `executor ${claim.job.executor}`,
  ).assignment(attempt.options);
  return { jobId: attempt.jobId, executor, attempt: { ...rest, options }, files: claim.job.input_files ?? [] };
}

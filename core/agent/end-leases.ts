import { Job } from '../job/job.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Where } from '../store/query.ts';
import { readByIds } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { lockTemplatesOf } from '../template/schedule.ts';
import { type FinishableJobs, finishJobs, lockToFinish, lostAttempt } from '../worker/finish/finish-jobs.ts';
import { AgentLease, type AgentLeaseRow, deleteAgentLeases, lockAgentLeases } from './agent-lease.ts';
import { releaseJobs } from './release-claims.ts';
import { endArtifact } from './reported-artifact.ts';

/** How many leases are ended in one transaction. */
const batchSize = 200;

/** An agent that shows that it is alive, and what it runs. */
export interface LiveAgent {
  readonly agent: string;
  /**
   * The attempts that it runs, each by its job and the claim that gave it; null = any that it has, because signs of life of an
   * earlier process may have been missed, whose attempts live on until its lease ends.
   */
  readonly running: readonly { readonly jobId: number; readonly claim: string }[] | null;
  /** Until when its leases last. */
  readonly until: Instant;
  /** How long leases last after a sign of life. */
  readonly lease: Milliseconds;
}

/**
 * Renews the leases of the attempts that agents say they run. That of a claim, whose answer may have been under way, becomes as
 * short as those of other attempts, because the agent has it.
 */
export async function renewAgentLeases(tables: Tables, agents: readonly LiveAgent[]): Promise<void> {
  const leases = await lockAgentLeases(tables, [
    ...(await jobsOf(tables, agents)),
    ...agents.flatMap(({ running }) => running?.map(({ jobId }) => jobId) ?? []),
  ]);
  const now = await tables.now();
  // By the agent of the lease, because another one may name the same job.
  const byAgent = new Map(agents.map((each) => [each.agent, each]));
  const changes = [...leases.values()].flatMap((row) => {
    const live = byAgent.get(row.agent);
    if (!live) return [];
    const { running, until, lease } = live;
    const isNamed = running?.some(({ jobId, claim }) => jobId === row.job_id && claim === row.claim) ?? false;
    if (running !== null && !isNamed) return [];
    // What this host has not heard yet was sent before now.
    const ends_at = Math.max(until, isNamed ? Math.min(row.ends_at, now + lease) : row.ends_at);
    return ends_at === row.ends_at ? [] : [{ row, set: { ends_at } }];
  });
  await tables.of(AgentLease).update(changes);
}

/** Lists the jobs of those agents that may run any of theirs. */
async function jobsOf(tables: Tables, agents: readonly LiveAgent[]): Promise<number[]> {
  const names = agents.filter(({ running }) => running === null).map(({ agent }) => agent);
  if (names.length === 0) return [];
  const leases = await tables.of(AgentLease).find({ where: [['agent', 'in', names]], columns: ['job_id'] });
  return leases.map(({ job_id }) => job_id);
}

export interface EndedLeases {
  /** Leases that ended before this have run out. */
  readonly before: Instant;
  /**
   * Whether all reports from before it are taken in. An attempt of which nothing was reported was not started then, and never
   * will be, so that it is taken back. Else it may have been, and is lost as the others are.
   */
  readonly areReportsTaken: boolean;
}

/**
 * Ends the attempts whose leases have run out. What their agents report later is refused.
 * @returns how many there were; there may be more.
 */
export async function endAgentLeases(tables: Tables, { before, areReportsTaken }: EndedLeases): Promise<number> {
  const where: Where<AgentLeaseRow> = [['ends_at', '<', before]];
  const order = [['ends_at', 'asc']] as const;
  const over = await tables.of(AgentLease).find({ where, order, limit: batchSize });
  const isUnstarted = ({ reported }: AgentLeaseRow) => areReportsTaken && reported === 0;
  const unstarted = over.filter(isUnstarted).map(({ job_id }) => job_id);
  const released = await releaseJobs(tables, unstarted, ({ ends_at }) => ends_at < before);
  const started = over.filter((lease) => !isUnstarted(lease));
  return released + (await loseJobs(tables, started, before));
}

async function loseJobs(tables: Tables, over: readonly AgentLeaseRow[], before: Instant): Promise<number> {
  const ids = over.map(({ job_id }) => job_id);
  const jobs = [...(await readByIds(tables, Job, ids, references)).values()];
  const finishable = await lockToFinish(tables, jobs);
  const reasonOf = ({ ends_at, agent }: AgentLeaseRow) =>
    ends_at < before ? `no heartbeat of its agent ${agent} reached the service before its lease ran out` : null;
  return endLeases(tables, [...finishable.ids], reasonOf, finishable.schedules);
}

/**
 * Ends all attempts of an agent at once, because it is not trusted any more.
 * @param reason why, for the records of its jobs.
 * @returns how many there were.
 */
export async function endAgent(tables: Tables, agent: string, reason: string): Promise<number> {
  const own = await tables.of(AgentLease).find({ where: [['agent', '=', agent]], columns: ['job_id'] });
  const ids = own.map(({ job_id }) => job_id);
  const jobs = [...(await readByIds(tables, Job, ids, references)).values()];
  return endLeases(tables, await lockTemplatesOf(tables, jobs, 'wait'), (lease) =>
    lease.agent === agent ? reason : null,
  );
}

const references = ['id', 'runtemplate_id', 'app_id', 'company_id'] as const;

/**
 * Loses the attempts of these jobs, whose templates are locked.
 * @param reasonOf returns why, once the lease is locked; null = it goes on.
 */
async function endLeases(
  tables: Tables,
  jobIds: readonly number[],
  reasonOf: (lease: AgentLeaseRow) => string | null,
  schedules?: FinishableJobs['schedules'],
): Promise<number> {
  const reasons = new Map<number, string>();
  for (const lease of (await lockAgentLeases(tables, jobIds)).values()) {
    await yieldToEventLoop();
    const reason = reasonOf(lease);
    if (reason === null) continue;
    await endArtifact(tables, lease);
    reasons.set(lease.job_id, reason);
  }
  const ids = [...reasons.keys()];
  const jobs = await readByIds(tables, Job, ids, ['id', 'runtemplate_id', 'worker']);
  const now = await tables.now();
  const attempts = [...jobs.values()].map((job) => lostAttempt(job, now, reasons.get(job.id) ?? ''));
  await finishJobs(tables, attempts, schedules);
  await deleteAgentLeases(tables, ids);
  return ids.length;
}

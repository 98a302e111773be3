import type { AuditedStore } from '../audit/audited-store.ts';
import { HorariumError } from '../errors.ts';
import type { AgentExecutor } from '../executor/agent-executor.ts';
import { ArtifactContent, pieceSize, readContent } from '../job/artifact.ts';
import { Job } from '../job/job.ts';
import { isJobEnded } from '../job/job-states.ts';
import type { DailyLimits } from '../quota/daily-usage.ts';
import { noDailyLimits } from '../quota/daily-usage.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { LruCache } from '../registry/lru-cache.ts';
import { readByIds } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { type SeenAgent, workerOf, writePresence } from '../worker/lease/agent-presence.ts';
import type { PreparationContext } from '../worker/prepare-attempts.ts';
import type { Reservation } from '../worker/reservation.ts';
import type { Worker } from '../worker/worker.ts';
import { AgentLease } from './agent-lease.ts';
import type { AttemptLeaseTimes, ReportedEvent, ReportOutcome } from './agent-report.ts';
import {
  type AgentClaim,
  type AgentClaims,
  claimForAgent,
  type PlacedWork,
  readPlacedWork,
} from './claim-for-agent.ts';
import { type EndedLeases, endAgent, endAgentLeases, type LiveAgent, renewAgentLeases } from './end-leases.ts';
import { releaseClaims } from './release-claims.ts';
import { takeReports } from './take-reports.ts';

/** How many attempts' redactors are kept for their next reports. */
const maxRedactors = 64;

export interface AgentAttemptsOptions extends PreparationContext {
  readonly executors: ReadonlyMap<string, AgentExecutor>;
  /** The worker of this process, which knows whether another one may have been ended by a job that it prepared. */
  readonly worker: Pick<Worker, 'epoch'>;
  /** @default no limits */
  readonly dailyLimits?: DailyLimits;
  /** Called after the commit of a change that makes jobs due. */
  onJobs?(): void;
}

/** An attempt that an agent says it runs. */
export interface RunningAttempt {
  readonly agent: string;
  readonly jobId: number;
  /** The claim that gave it the attempt. */
  readonly claim: string;
}

/** A request to stop an attempt, for its agent. */
export interface AgentStop extends RunningAttempt {
  readonly reason: string;
}

/** Which piece of which file of an attempt an agent asks for. */
export interface PieceRequest {
  readonly agent: string;
  readonly jobId: number;
  readonly claim: string;
  readonly mark: string;
  /** Where the piece begins. */
  readonly offset: number;
}

/** A piece of a file that an attempt is given. */
export interface InputPiece {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

/**
 * The use cases of those that connect agents: claim jobs for them, take in what they report, and call lost what they left.
 * All of them work in a transaction of the caller, which decides who the agent is and what it may run.
 */
export class AgentAttempts {
  readonly #options: AgentAttemptsOptions;
  readonly #lastServed = new Map<string, number>();
  readonly #redactors = new LruCache<Redactor>(maxRedactors);

  constructor({ store, ...options }: AgentAttemptsOptions & { readonly store: AuditedStore }) {
    this.#options = { ...options, readFile: (artifact) => readContent(store, artifact) };
  }

  /** Lists the placements that have due jobs, and says when to look again. */
  workIn(tables: Tables): Promise<PlacedWork> {
    return readPlacedWork(tables);
  }

  /**
   * Claims jobs for an agent; its answer must reach the agent, or the claim be released. It is called again with what it has
   * reserved, once that is committed, until nothing is reserved.
   * @throws HorariumError as `claimForAgent`.
   */
  async claimIn(tables: Tables, request: AgentClaim, reserved: Reservation | null = null): Promise<AgentClaims> {
    return claimForAgent(tables, request, { ...this.#options, lastServed: this.#lastServed }, reserved);
  }

  /** Takes back attempts of claims that an agent got no answer to, as `releaseClaims` does. */
  async releaseIn(tables: Tables, agent: string, claims: readonly string[]): Promise<number> {
    return this.#ended(tables, await releaseClaims(tables, agent, claims));
  }

  /**
   * Stores what agents report.
   * @param leases how long leases last: that of a claim is shortened by its start. @default it stays
   * @throws HorariumError as `takeReports`.
   */
  async reportIn(
    tables: Tables,
    reports: readonly ReportedEvent[],
    leases: AttemptLeaseTimes | null = null,
  ): Promise<ReportOutcome[]> {
    const { vault, executors, dailyLimits = noDailyLimits } = this.#options;
    const context = { vault, executors, dailyLimits, leases, redactors: this.#redactors };
    const outcomes = await takeReports(tables, reports, context);
    const isEnd = ({ event }: ReportedEvent, at: number) => event.kind === 'ended' && outcomes[at] === 'stored';
    this.#ended(tables, reports.filter(isEnd).length);
    return outcomes;
  }

  /** Renews the leases of the attempts that agents say they run. */
  renewIn(tables: Tables, agents: readonly LiveAgent[]): Promise<void> {
    return renewAgentLeases(tables, agents);
  }

  /** Whether leases have run out, by what the store has of the agents. */
  async areLeasesOverIn(tables: Tables, { before }: Pick<EndedLeases, 'before'>): Promise<boolean> {
    return (await tables.of(AgentLease).count([['ends_at', '<', before]], 1)) > 0;
  }

  /** Ends the attempts whose leases have run out. @returns how many there were; there may be more. */
  async endLeasesIn(tables: Tables, ended: EndedLeases): Promise<number> {
    return this.#ended(tables, await endAgentLeases(tables, ended));
  }

  /** Ends all attempts of an agent that is not trusted any more. @returns how many there were. */
  async endAgentIn(tables: Tables, agent: string, reason: string): Promise<number> {
    return this.#ended(tables, await endAgent(tables, agent, reason));
  }

  /** Writes how agents show themselves, so that waiting jobs can say what they wait for. */
  seenIn(tables: Tables, agents: readonly SeenAgent[]): Promise<void> {
    return writePresence(tables, agents);
  }

  /** Reads the requests to stop attempts on agents. */
  async stopsIn(tables: Tables): Promise<AgentStop[]> {
    const executors = [...this.#options.executors.keys()];
    const where = [
      ['state', '=', 'running'],
      ['stop_reason', '!=', null],
      ['executor', 'in', executors],
    ] as const;
    const jobs = await tables.of(Job).find({ where, columns: ['id', 'stop_reason'], limit: 500 });
    if (jobs.length === 0) return [];
    const reasons = new Map(jobs.map(({ id, stop_reason }) => [id, stop_reason ?? '']));
    const leases = await tables.of(AgentLease).find({ where: [['job_id', 'in', [...reasons.keys()]]] });
    return leases.map(({ agent, job_id: jobId, claim }) => ({ agent, jobId, claim, reason: reasons.get(jobId) ?? '' }));
  }

  /**
   * Returns which of the attempts that agents run are not theirs any more: their leases ran out, or others have them. Those that
   * they have reported the end of are not among them.
   */
  async orphanedIn(tables: Tables, running: readonly RunningAttempt[]): Promise<RunningAttempt[]> {
    if (running.length === 0) return [];
    const ids = running.map(({ jobId }) => jobId);
    const leases = await tables.of(AgentLease).find({ where: [['job_id', 'in', ids]] });
    const owned = new Map(leases.map(({ job_id, agent, claim }) => [job_id, `${agent} ${claim}`]));
    const without = running.filter(({ agent, jobId, claim }) => owned.get(jobId) !== `${agent} ${claim}`);
    if (without.length === 0) return [];
    const jobs = await readByIds(
      tables,
      Job,
      without.map(({ jobId }) => jobId),
    );
    return without.filter(({ agent, jobId }) => {
      const job = jobs.get(jobId);
      return !job || !isJobEnded(job.state) || job.state === 'lost' || job.worker !== workerOf(agent);
    });
  }

  /** Lists the agents that have leases. */
  async leasedIn(tables: Tables): Promise<string[]> {
    return (await tables.of(AgentLease).countBy(['agent'], [])).map(({ values: [agent] }) => agent);
  }

  /**
   * Reads a piece of a file that an attempt is given.
   * @throws HorariumError `not_found` when the attempt is not the agent's, has no such file, or no piece begins there.
   */
  async filePieceIn(tables: Tables, { agent, jobId, claim, mark, offset }: PieceRequest): Promise<InputPiece> {
    const [lease] = await tables.of(AgentLease).find({ where: [['job_id', '=', jobId]] });
    const jobs = lease?.agent === agent && lease.claim === claim ? await readByIds(tables, Job, [jobId]) : undefined;
    const file = jobs?.get(jobId)?.input_files?.find((each) => each.mark === mark);
    if (!file) throw new HorariumError('not_found', `Job ${jobId} of the agent ${agent} has no file ${mark}.`);
    if (file.size === 0 && offset === 0) return { bytes: new Uint8Array(), isLast: true };
    const where = [['artifact_id', '=', file.artifact_id] as const, ['seq', '=', offset / pieceSize] as const];
    const [piece] = offset % pieceSize === 0 ? await tables.of(ArtifactContent).find({ where }) : [];
    if (!piece) throw new HorariumError('not_found', `The file ${mark} of Job ${jobId} has no piece at ${offset}.`);
    return { bytes: piece.content, isLast: offset + piece.content.length >= file.size };
  }

  /** Calls back after the commit if attempts have ended, because others may be due. */
  #ended(tables: Tables, count: number): number {
    if (count > 0) tables.afterCommit(() => this.#options.onJobs?.());
    return count;
  }
}

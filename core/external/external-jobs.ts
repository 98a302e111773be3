import { App, type AppRow } from '../app/app.ts';
import type { AuditedStore } from '../audit/audited-store.ts';
import { conflict, HorariumError, TooManyRequests } from '../errors.ts';
import { maxMessage } from '../executor/attempt-progress.ts';
import { type ExternalExecutor, outputStreams } from '../executor/executor.ts';
import { redactOrMask, redactorOf } from '../job/given-secrets.ts';
import { Job, type JobRow } from '../job/job.ts';
import { announceChange, assertNotEnded, type JobChange, lockJob } from '../job/job-access.ts';
import type { Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { assertNotPaused } from '../pause/pauses.ts';
import {
  type DailyLimits,
  DailyUsage,
  describeExhausted,
  lockUsage,
  noDailyLimits,
  resetOf,
} from '../quota/daily-usage.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { Actor } from '../resource/actor.ts';
import { readById } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { lockTemplates } from '../template/schedule.ts';
import { formatInstant } from '../time/instant.ts';
import { withinPlaces } from '../worker/claim-jobs.ts';
import { attemptOutcome } from '../worker/finish/attempt-outcome.ts';
import type { FinishedAttempt } from '../worker/finish/finish-jobs.ts';
import { markRunning } from '../worker/mark-running.ts';
import { applyOverlap, type BlockedClaim, type Claim, jobsToReplace, stopReplacedJobs } from '../worker/overlap.ts';
import { type PreparationContext, type PreparedAttempt, prepareAttempts } from '../worker/prepare-attempts.ts';
import { ExternalLease, type ExternalLeaseRow, isOver, lockLease, openLease, renewLease } from './external-lease.ts';
import { finishExternal, reapExternal } from './finish-external.ts';
import { endsAttempt, type Report, readReport } from './report.ts';
import { storeReportedFiles } from './reported-files.ts';
import { appendReportedOutput, outputLimits, type ReportedOutput } from './reported-output.ts';

export interface ExternalJobsOptions extends PreparationContext {
  readonly store: AuditedStore;
  readonly executors: ReadonlyMap<string, ExternalExecutor>;
  /** @default no limits */
  readonly dailyLimits?: DailyLimits;
  /** Called after the commit of a change that makes jobs due or asks them to stop. */
  onJobs?(): void;
}

/** A claimed job, with the URL for its heartbeats, which only the claim returns: of its key only a hash is stored. */
export interface ClaimedJob {
  readonly job: JobRow;
  readonly pingUrl: string;
}

const encoder = new TextEncoder();

/** The use cases of external workers: claim a job, and report its progress, output, files and end. */
export class ExternalJobs {
  readonly #options: ExternalJobsOptions;

  constructor(options: ExternalJobsOptions) {
    this.#options = options;
  }

  /** Whether the jobs of an executor are done elsewhere. */
  isExternal(executor: string): boolean {
    return this.#options.executors.has(executor);
  }

  /**
   * Claims a job by the same rules as the workers of the service, and stops the jobs that it replaces.
   * @throws HorariumError `not_found`, `denied`, or `conflict` when the job is taken, not due, too late, blocked by
   * another job, or not for external workers.
   */
  async claim(actor: Actor, id: number, change: JobChange = {}): Promise<ClaimedJob> {
    const { store } = this.#options;
    return this.claimWith((claim) => store.transaction(actor, claim, { beyondQuota: true }), actor, id, change);
  }

  /**
   * Claims like `claim`, with transactions that `run` opens. `run` is called again where running jobs are to be replaced:
   * their stop is requested in a transaction of its own between both, because it must commit though they still block the
   * claim.
   */
  async claimWith<T>(
    run: (claim: (tables: Tables) => Promise<ClaimedJob>) => Promise<T>,
    actor: Actor,
    id: number,
    change: JobChange = {},
  ): Promise<T> {
    const claim = (tables: Tables) => this.#claim(tables, actor, id, change);
    try {
      return await run(claim);
    } catch (error) {
      if (!(error instanceof BlockedByOverlap) || jobsToReplace(error.blocked).length === 0) throw error;
      await this.#replaceBlockers(actor, error.blocked);
      return run(claim);
    }
  }

  /** @throws BlockedByOverlap when other jobs must end first. */
  async #claim(tables: Tables, actor: Actor, id: number, change: JobChange): Promise<ClaimedJob> {
    const job = await lockJob(tables, actor, id, change);
    const now = await tables.now();
    const executor = this.#assertClaimable(job, now);
    await assertNotPaused(tables, job, now);
    const { claims, blocked } = await applyOverlap(tables, [job], now);
    const claim = claims[0] ?? blocked[0]?.claim;
    if (!claim) throw conflict(`Job ${id} is too late: its start deadline has passed.`);
    // A job that cannot start replaces none, so it is prepared even while it is blocked.
    const prepared = await this.#prepare(tables, claim);
    if (blocked[0]) throw new BlockedByOverlap(blocked[0]);
    if ((await withinPlaces(tables, [claim])).length === 0)
      throw conflict(`Job ${id} must wait: its company runs as many jobs as its max_running allows.`);
    await markRunning(tables, `${job.executor}:${actor.name}`.slice(0, 128), [prepared]);
    const { options, timeout } = prepared.attempt;
    const timeout_at = timeout === null ? null : now + timeout;
    await openLease(tables, id, { heartbeat_timeout: executor.heartbeatTimeout(options), timeout_at }, now);
    return { job: await announceChange(tables, id, this.#options), pingUrl: prepared.pingUrl };
  }

  /** @throws HorariumError `conflict` when the job cannot start. */
  async #prepare(tables: Tables, claim: Claim): Promise<PreparedAttempt> {
    const [prepared] = (await prepareAttempts(tables, [claim], this.#options, {
      withSecrets: false,
    })) as [PreparedAttempt];
    if (prepared.refusal !== null) throw conflict(`Job ${claim.job.id} cannot start: ${prepared.refusal}.`);
    return prepared;
  }

  /**
   * Records a report of a claimed job; it also counts as a heartbeat.
   * @throws HorariumError `invalid`, `not_found`, `denied`, or `conflict` when the job does not run, or not any more.
   */
  async report(
    actor: Actor,
    id: number,
    fields: Readonly<Record<string, unknown>>,
    change: JobChange = {},
  ): Promise<JobRow> {
    const report = await readReport(fields);
    const record = (tables: Tables) => this.reportIn(tables, actor, id, report, change);
    return this.#options.store.transaction(actor, record, { beyondQuota: true });
  }

  /** Records a report like `report`, in the caller's transaction; `readReport` decodes its files before. */
  async reportIn(tables: Tables, actor: Actor, id: number, report: Report, change: JobChange = {}): Promise<JobRow> {
    const job = await lockJob(tables, actor, id, change);
    const executor = this.#assertReportable(job);
    const lease = await lockLease(tables, id);
    const now = await tables.now();
    if (!lease || isOver(lease, now))
      throw conflict(`Job ${id} sent no heartbeat in time, or took too long: its reports are refused.`);
    const redacted = await redactReport(redactorOf(this.#options.vault, job), report);
    const output = outputStreams.map((stream) => ({ stream, data: encoder.encode(redacted[stream] ?? '') }));
    await this.#store(tables, job, lease, executor, { output, files: redacted.files });
    await tables.of(Job).updateWhere([['id', '=', id]], { heartbeat_at: now, ...progressOf(redacted) });
    if (endsAttempt(report)) {
      const { exit_codes: exitCodes } = await readById(tables, App, job.app_id);
      await finishExternal(tables, [{ ...finishedAttempt(job, redacted, exitCodes, now), reportedBy: actor.name }]);
    } else await renewLease(tables, lease, now);
    return announceChange(tables, id, this.#options);
  }

  /** Stores output and files, as far as the limits of the job and the daily ones of its company let it. */
  async #store(
    tables: Tables,
    job: JobRow,
    lease: ExternalLeaseRow,
    executor: ExternalExecutor,
    { output, files }: { readonly output: readonly ReportedOutput[]; readonly files: Report['files'] },
  ): Promise<void> {
    const { dailyLimits = noDailyLimits } = this.#options;
    const owner = `company ${job.company_id}` as const;
    const artifacts = files.reduce((bytes, { content }) => bytes + content.length, 0);
    if (files.length === 0 && output.every(({ data }) => data.length === 0)) return;
    const usage = await lockUsage(tables, owner);
    if (artifacts > dailyLimits.maxArtifactsPerDay - usage.artifacts)
      throw new TooManyRequests(
        `The report of Job ${job.id} is refused for its files: ${describeExhausted('artifacts', owner, dailyLimits, usage.day)}.`,
        resetOf(usage.day) - (await tables.now()),
      );
    const limits = outputLimits(lease, executor.limits.maxOutput, usage, dailyLimits);
    const { written, output_size } = await appendReportedOutput(tables, lease, limits, output);
    await tables.of(ExternalLease).updateWhere([['id', '=', lease.id]], { output_size });
    await storeReportedFiles(tables, job, files, executor);
    const set = { output: usage.output + written, artifacts: usage.artifacts + artifacts };
    await tables.of(DailyUsage).update([{ row: usage, set }]);
  }

  /** Asks the jobs that the blocked one replaces to stop. External ones end at once, with this transaction. */
  async #replaceBlockers(actor: Actor, blocked: BlockedClaim): Promise<void> {
    const replace = async (tables: Tables) => {
      await lockTemplates(tables, [blocked.claim.template.id], 'wait');
      const replaced = await stopReplacedJobs(tables, blocked);
      await reapExternal(
        tables,
        replaced.map((job) => job.id),
        'wait',
      );
      tables.afterCommit(() => this.#options.onJobs?.());
    };
    await this.#options.store.transaction(actor, replace, { beyondQuota: true });
  }

  /** @returns the executor of the job. @throws HorariumError `conflict` when an external worker may not claim it now. */
  #assertClaimable(job: JobRow, now: Instant): ExternalExecutor {
    assertNotEnded(job);
    const executor = this.#options.executors.get(job.executor);
    if (!executor)
      throw conflict(`Job ${job.id} is started by the workers of the service: its executor is ${job.executor}.`);
    if (job.state !== 'scheduled') throw conflict(`Job ${job.id} is taken: ${job.worker} runs it.`);
    if (job.scheduled_at > now) throw conflict(`Job ${job.id} is not due before ${formatInstant(job.scheduled_at)}.`);
    return executor;
  }

  /** @returns the executor of the job. @throws HorariumError `conflict` when an external worker may not report it. */
  #assertReportable(job: JobRow): ExternalExecutor {
    assertNotEnded(job);
    const executor = this.#options.executors.get(job.executor);
    if (!executor)
      throw conflict(`Job ${job.id} is reported by the workers of the service: its executor is ${job.executor}.`);
    if (job.state !== 'running')
      throw conflict(`Job ${job.id} is not running: claim it first, with the state running.`);
    return executor;
  }
}

/** Thrown when running jobs of the template block a claim, so that its transaction is rolled back. */
class BlockedByOverlap extends HorariumError {
  readonly blocked: BlockedClaim;

  constructor(blocked: BlockedClaim) {
    super('conflict', `Job ${blocked.claim.job.id} cannot start while job ${blocked.blockers[0]?.id} runs.`);
    this.blocked = blocked;
  }
}

/** Masks what the claim handed out in every text of a report; file names are texts, the contents of files are not. */
async function redactReport(redactor: Redactor | null, report: Report): Promise<Report> {
  const redacted: Record<string, string> = {};
  for (const name of ['stdout', 'stderr', 'message', 'reason'] as const) {
    const text = report[name];
    if (typeof text === 'string') redacted[name] = await redactOrMask(redactor, text);
  }
  const files: Report['files'][number][] = [];
  for (const file of report.files) {
    await yieldToEventLoop();
    files.push({ ...file, filename: await redactOrMask(redactor, file.filename) });
  }
  return { ...report, ...redacted, files };
}

function progressOf({ progress, message }: Report): Partial<JobRow> {
  return {
    ...(progress !== undefined && { progress }),
    ...(message !== undefined && { message: message?.slice(0, maxMessage) ?? null }),
  };
}

function finishedAttempt(
  job: JobRow,
  { exit_code = null, signal = null, reason = null }: Report,
  exitCodes: AppRow['exit_codes'],
  now: Instant,
): FinishedAttempt {
  const result = {
    exitCode: exit_code,
    signal,
    timedOut: false,
    reason,
    finishedAt: now,
    files: [],
  };
  return {
    ...attemptOutcome(result, exitCodes, null),
    jobId: job.id,
    templateId: job.runtemplate_id,
    worker: job.worker ?? '',
    pid: null,
    peakMemory: null,
    exitCode: exit_code,
    signal,
    finishedAt: now,
  };
}

import {
  applyOverlap,
  type BlockedClaim,
  type Claim,
  replacedBy,
  replacing,
  requestStop,
} from '../attempt/claim-jobs.ts';
import type { JobResult } from '../attempt/finish-jobs.ts';
import { type JobRedactorOptions, redactorFor } from '../attempt/job-redactor.ts';
import { judgeAttempt } from '../attempt/judge-attempt.ts';
import { pingUrl } from '../attempt/prepare-attempts.ts';
import { startJobs } from '../attempt/start-jobs.ts';
import type { AuditedStore } from '../audit/audited-store.ts';
import { conflict, type FieldError, HorariumError } from '../errors.ts';
import type { ExternalExecutor } from '../executor/executor.ts';
import { Job, type JobRow } from '../job/job.ts';
import { JobAccess, type JobAccessOptions, type JobChange, refuseEnded } from '../job/job-access.ts';
import type { Instant } from '../loop/clock.ts';
import { throwIfInvalid } from '../records/input.ts';
import type { Actor } from '../resource/actor.ts';
import type { Tables } from '../store/store.ts';
import { newRow } from '../store/table.ts';
import { lockTemplates } from '../template/schedule.ts';
import { formatInstant } from '../time/instant.ts';
import type { Prepared } from '../worker/runner-options.ts';
import { endExternal, finishExternal } from './end-external.ts';
import { ExternalLease, isOver, leaseEnd, lockLease, renewLease } from './external-lease.ts';
import { endsAttempt, type Report, readReport } from './report.ts';
import { keepReported, readFiles } from './reported-files.ts';
import { keepOutput } from './reported-output.ts';

export interface ExternalJobsOptions extends JobAccessOptions, JobRedactorOptions {
  readonly store: AuditedStore;
  readonly executors: ReadonlyMap<string, ExternalExecutor>;
  /** Called after jobs were committed that may start, or stop, now. */
  onJobs?(): void;
}

/** A job that was claimed. The URL of its heartbeat is told this once: only a hash of its key is kept. */
export interface Claimed {
  readonly job: JobRow;
  readonly pingUrl: string;
}

const encoder = new TextEncoder();

/** Jobs whose attempts are made outside: whoever does the work claims one, and reports how it goes (contract §5). */
export class ExternalJobs {
  readonly #options: ExternalJobsOptions;
  readonly #access: JobAccess;

  constructor(options: ExternalJobsOptions) {
    this.#options = options;
    this.#access = new JobAccess(options);
  }

  /**
   * Starts an attempt outside, by the rules by which workers of the service start theirs.
   * @throws HorariumError `not_found`, `denied`, or `conflict` when it is taken, not due, too late, kept back by
   * another job, or not for those outside.
   */
  async claim(actor: Actor, id: number, hooks: JobChange<Claimed> = {}): Promise<Claimed> {
    try {
      return await this.#claim(actor, id, hooks);
    } catch (error) {
      if (!(error instanceof BlockedByOverlap) || replacedBy(error.kept).length === 0) throw error;
      await this.#makeRoom(actor, error.kept);
      return this.#claim(actor, id, hooks);
    }
  }

  #claim(actor: Actor, id: number, hooks: JobChange<Claimed> = {}): Promise<Claimed> {
    const work = async (tables: Tables): Promise<Claimed> => {
      const job = await this.#access.mine(tables, actor, id, hooks);
      const now = await tables.now();
      const executor = this.#claimable(job, now);
      const { claims, kept } = await applyOverlap(tables, [job], now);
      const claim = claims[0] ?? kept[0]?.claim;
      if (!claim) throw conflict(`Job ${id} is too late: the last moment to start it has passed.`);
      const prepared = await this.#prepared(tables, claim);
      if (prepared.refusal !== null) throw conflict(`Job ${id} cannot start: ${prepared.refusal}.`);
      if (kept[0]) throw new BlockedByOverlap(kept[0]);
      await startJobs(tables, `${job.executor}:${actor.name}`.slice(0, 128), [{ ...claim, shown: prepared.shown }]);
      const { options, timeout, environment } = prepared.attempt;
      const times = { patience: executor.patience(options), timeout_at: timeout === null ? null : now + timeout };
      const lease = newRow(ExternalLease, { ...times, job_id: id, ends_at: leaseEnd(times, now) });
      await tables.of(ExternalLease).insert([lease]);
      return { job: await this.#done(tables, id), pingUrl: environment[pingUrl] as string };
    };
    return this.#options.store.transaction(actor, work, hooks);
  }

  /**
   * Notes what is said of an attempt outside; a report is also a sign of life.
   * @throws HorariumError `invalid`, `not_found`, `denied`, or `conflict` when it does not run, or not any more.
   */
  async report(
    actor: Actor,
    id: number,
    given: Readonly<Record<string, unknown>>,
    hooks: JobChange = {},
  ): Promise<JobRow> {
    const errors: FieldError[] = [];
    const report = readReport(given, errors);
    const files = errors.length > 0 ? [] : await readFiles(report.artifacts ?? [], errors);
    throwIfInvalid('Job', errors);
    return this.#options.store.transaction(
      actor,
      async (tables) => {
        const job = await this.#access.mine(tables, actor, id, hooks);
        const executor = this.#reportable(job);
        const lease = await lockLease(tables, id);
        const now = await tables.now();
        if (!lease || isOver(lease, now))
          throw conflict(
            `Job ${id} was not heard of in time, or took too long: what is said of it does not count any more.`,
          );
        const { prepared, hide } = await redactorFor(tables, job, this.#options);
        await keepOutput(
          tables,
          lease,
          executor.outputLimit,
          (['stdout', 'stderr'] as const).map((stream) => ({
            stream,
            data: encoder.encode(hide(report[stream] ?? '')),
          })),
        );
        const named = files.map((file) => ({ ...file, filename: hide(file.filename) }));
        await keepReported(tables, id, named, executor.artifactLimits);
        const { progress, message } = report;
        const told = {
          heartbeat_at: now,
          ...(progress !== undefined && { progress }),
          ...(message !== undefined && { message: message === null ? null : hide(message).slice(0, 1000) }),
        };
        await tables.of(Job).updateWhere([['id', '=', id]], told);
        if (endsAttempt(report)) await finishExternal(tables, [endOf(job, report, prepared, { now, hide })]);
        else await renewLease(tables, lease, now);
        return this.#done(tables, id);
      },
      hooks,
    );
  }

  /** Stops the jobs that this one is to replace; of those that run outside none runs any more after this. */
  async #makeRoom(actor: Actor, kept: BlockedClaim): Promise<void> {
    const others = replacedBy(kept);
    await this.#options.store.transaction(actor, async (tables) => {
      await lockTemplates(tables, [kept.claim.template.id], 'wait');
      await requestStop(tables, others, replacing(kept));
      await endExternal(
        tables,
        others.map((other) => other.id),
        'wait',
      );
      tables.afterCommit(() => this.#options.onJobs?.());
    });
  }

  #claimable(job: JobRow, now: Instant): ExternalExecutor {
    refuseEnded(job);
    const executor = this.#options.executors.get(job.executor);
    if (!executor)
      throw conflict(`Job ${job.id} is started by the workers of the service: its executor is ${job.executor}.`);
    if (job.state !== 'scheduled') throw conflict(`Job ${job.id} is taken: ${job.worker} is at work on it.`);
    if (job.scheduled_at > now) throw conflict(`Job ${job.id} is not due before ${formatInstant(job.scheduled_at)}.`);
    return executor;
  }

  #reportable(job: JobRow): ExternalExecutor {
    refuseEnded(job);
    const executor = this.#options.executors.get(job.executor);
    if (!executor)
      throw conflict(`Job ${job.id} is reported by the workers of the service: its executor is ${job.executor}.`);
    if (job.state !== 'running')
      throw conflict(`Job ${job.id} is not running: claim it first, with the state running.`);
    return executor;
  }

  async #prepared(tables: Tables, claim: Claim): Promise<Prepared> {
    const [prepared] = await this.#options.prepare(tables, [claim]);
    return prepared as Prepared;
  }

  async #done(tables: Tables, id: number): Promise<JobRow> {
    tables.afterCommit(() => this.#options.onJobs?.());
    const [job] = await tables.of(Job).find({ where: [['id', '=', id]] });
    return job as JobRow;
  }
}

/** Another job keeps this one from starting. */
class BlockedByOverlap extends HorariumError {
  readonly kept: BlockedClaim;

  constructor(kept: BlockedClaim) {
    super('conflict', `Job ${kept.claim.job.id} cannot start while job ${kept.others[0]?.id} runs.`);
    this.kept = kept;
  }
}

function endOf(
  job: JobRow,
  { exit_code = null, signal = null, reason = null }: Report,
  { exitCodes }: Prepared,
  { now, hide }: { readonly now: Instant; hide(text: string): string },
): JobResult {
  const outcome = { exitCode: exit_code, signal, timedOut: false, reason: reason === null ? null : hide(reason) };
  const judged = judgeAttempt({ ...outcome, finishedAt: now, files: [] }, exitCodes, null);
  const { id: jobId, runtemplate_id: templateId, worker } = job;
  return {
    ...judged,
    jobId,
    templateId,
    worker: worker ?? '',
    pid: null,
    exitCode: exit_code,
    signal,
    finishedAt: now,
  };
}

import type { AttemptProgress } from '../executor/attempt-progress.ts';
import { storeArtifacts } from '../job/artifact.ts';
import { Job } from '../job/job.ts';
import { JobOutput } from '../job/job-output.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Tables } from '../store/store.ts';
import { finishJobs, lockToFinish } from './finish/finish-jobs.ts';
import type { LeaseEpoch } from './lease/lease-epoch.ts';
import type { LiveAttempt } from './live-attempt.ts';
import type { PeekedOutput } from './output-buffer.ts';

/** The unwritten output, process ids, progress and results of the attempts of an epoch at one moment, for one transaction. */
export class Batch {
  readonly #ended: readonly LiveAttempt[];
  #finished: readonly LiveAttempt[] = [];
  readonly #worker: string;
  readonly #output: readonly { readonly attempt: LiveAttempt; readonly peeked: PeekedOutput }[];
  /** Running attempts whose process id the store does not have yet. */
  readonly #pids: readonly LiveAttempt[];
  readonly #progress: readonly { readonly attempt: LiveAttempt; readonly latest: AttemptProgress }[];

  constructor(epoch: LeaseEpoch) {
    const attempts = [...epoch.attempts.values()];
    this.#worker = epoch.name;
    this.#ended = attempts.filter((attempt) => attempt.result);
    this.#output = attempts.flatMap((attempt) =>
      attempt.output.size > 0 ? [{ attempt, peeked: attempt.output.peek() }] : [],
    );
    this.#pids = attempts.filter((attempt) => attempt.pid !== null && !attempt.pidWritten && !attempt.result);
    this.#progress = attempts.flatMap((attempt) => {
      const latest = attempt.progress?.latest;
      return latest ? [{ attempt, latest }] : [];
    });
  }

  /** The attempts that have ended and whose results it has written: those of locked templates are left for a later batch. */
  get finished(): readonly LiveAttempt[] {
    return this.#finished;
  }

  /** Whether some results are left. */
  get isPartial(): boolean {
    return this.#finished.length < this.#ended.length;
  }

  /** Writes the batch; it counts as written only after `committed` was called. */
  async write(tables: Tables): Promise<void> {
    const rows = this.#output.flatMap(({ attempt, peeked }) =>
      peeked.chunks.map((chunk) => ({ ...chunk, job_id: attempt.jobId })),
    );
    // The store may have some rows already: the acknowledgement of an earlier commit may not have arrived.
    if (rows.length > 0) await tables.of(JobOutput).insertAbsent(rows, ['job_id', 'seq']);
    await Promise.all(this.#pids.map(({ jobId, pid }) => tables.of(Job).updateWhere([['id', '=', jobId]], { pid })));
    for (const { attempt, latest } of this.#progress) {
      await yieldToEventLoop();
      const set = { ...(await attempt.redacted(latest)), heartbeat_at: await tables.now() };
      await tables.of(Job).updateWhere([['id', '=', attempt.jobId]], set);
    }
    if (this.#ended.length > 0) await this.#finish(tables);
  }

  /** Marks the batch as written, after the commit of its transaction. */
  committed(): void {
    for (const { attempt, peeked } of this.#output) attempt.output.written(peeked);
    for (const attempt of this.#pids) attempt.pidWritten = true;
    for (const { attempt, latest } of this.#progress) attempt.progress?.written(latest);
  }

  async #finish(tables: Tables): Promise<void> {
    const now = await tables.now();
    const jobs = this.#ended.map(({ jobId, prepared: { claim } }) => {
      const { id, app_id, company_id } = claim.template;
      return { id: jobId, runtemplate_id: id, app_id, company_id };
    });
    const { ids, schedules } = await lockToFinish(tables, jobs);
    this.#finished = this.#ended.filter(({ jobId }) => ids.has(jobId));
    const finished = this.#finished.map((attempt) => attempt.finished(this.#worker, now));
    const refusedJobs = new Set(await finishJobs(tables, finished, schedules));
    for (const { jobId, prepared, result } of this.#finished) {
      await yieldToEventLoop();
      if (result && result.files.length > 0 && !refusedJobs.has(jobId))
        await storeArtifacts(tables, prepared.claim.job, result.files);
    }
  }
}

import { finishJobs } from '../attempt/finish-jobs.ts';
import type { LiveAttempt } from '../attempt/live-attempt.ts';
import type { PeekedOutput } from '../attempt/output-buffer.ts';
import { storeArtifacts } from '../job/artifact.ts';
import { Job } from '../job/job.ts';
import { JobOutput } from '../job/job-output.ts';
import type { Clock } from '../loop/clock.ts';
import type { Tables } from '../store/store.ts';

/** All that a worker's attempts have for the store at one moment: output, process ids and ends. */
export class Batch {
  readonly ended: readonly LiveAttempt[];
  readonly #output: readonly { readonly attempt: LiveAttempt; readonly peek: PeekedOutput }[];
  /** Running attempts whose process id the store does not have yet. */
  readonly #pids: readonly LiveAttempt[];

  constructor(attempts: readonly LiveAttempt[]) {
    this.ended = attempts.filter((attempt) => attempt.result);
    this.#output = attempts.flatMap((attempt) =>
      attempt.output.size > 0 ? [{ attempt, peek: attempt.output.peek() }] : [],
    );
    this.#pids = attempts.filter((attempt) => attempt.pid !== null && !attempt.pidWritten && !attempt.result);
  }

  /** Writes it; nothing counts as written before `committed`. */
  async write(tables: Tables, worker: string, clock: Clock): Promise<void> {
    const rows = this.#output.flatMap(({ attempt, peek }) =>
      peek.chunks.map((chunk) => ({ ...chunk, job_id: attempt.jobId })),
    );
    // Some may be there already, when an earlier batch was committed without an acknowledgement.
    if (rows.length > 0) await tables.of(JobOutput).insertAbsent(rows, ['job_id', 'seq']);
    await Promise.all(this.#pids.map(({ jobId, pid }) => tables.of(Job).updateWhere([['id', '=', jobId]], { pid })));
    if (this.ended.length > 0) await this.#finish(tables, worker, clock);
  }

  /** The transaction that wrote it was committed. */
  committed(): void {
    for (const { attempt, peek } of this.#output) attempt.output.written(peek);
    for (const attempt of this.#pids) attempt.pidWritten = true;
  }

  async #finish(tables: Tables, worker: string, clock: Clock): Promise<void> {
    const now = await tables.now();
    const finished = this.ended.map((attempt) => attempt.finished(worker, now, clock));
    const refused = new Set(await finishJobs(tables, finished));
    for (const { jobId, prepared, result } of this.ended)
      if (result && result.files.length > 0 && !refused.has(jobId))
        await storeArtifacts(tables, prepared.claim.job, result.files);
  }
}

import type { LiveAttempt } from '../attempt/live-attempt.ts';
import type { PeekedOutput } from '../attempt/output-buffer.ts';
import { Job } from '../job/job.ts';
import { JobOutput } from '../job/job-output.ts';
import type { Tables } from '../store/store.ts';

/** What a worker's attempts have to tell the store at one moment. */
export interface Batch {
  readonly ended: readonly LiveAttempt[];
  readonly output: readonly { readonly attempt: LiveAttempt; readonly peek: PeekedOutput }[];
  /** Running ones whose process the store does not know yet. */
  readonly pids: readonly LiveAttempt[];
}

export function takeBatch(attempts: readonly LiveAttempt[]): Batch {
  return {
    ended: attempts.filter((attempt) => attempt.outcome),
    output: attempts.flatMap((attempt) => (attempt.output.size > 0 ? [{ attempt, peek: attempt.output.peek() }] : [])),
    pids: attempts.filter((attempt) => attempt.pid !== null && !attempt.pidWritten && !attempt.outcome),
  };
}

/** Writes output and process ids; how attempts ended is written elsewhere. */
export async function writeBatch(tables: Tables, { output, pids }: Batch): Promise<void> {
  const rows = output.flatMap(({ attempt, peek }) =>
    peek.pieces.map((piece) => ({ ...piece, job_id: attempt.prepared.job.id })),
  );
  // Some may be there already, when an earlier round was committed without this process hearing of it.
  if (rows.length > 0) await tables.of(JobOutput).insertAbsent(rows, ['job_id', 'seq']);
  await Promise.all(
    pids.map(({ pid, prepared }) => tables.of(Job).updateWhere([['id', '=', prepared.job.id]], { pid })),
  );
}

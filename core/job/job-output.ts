import type { OutputStream } from '../executor/executor.ts';
import { binary, choice, count, instant, ref } from '../field/fields.ts';
import type { Instant } from '../loop/clock.ts';
import type { Tables } from '../store/store.ts';
import { defineBookkeeping } from '../store/table.ts';
import { isJobEnded, type JobState } from './job-states.ts';

/** A chunk of a job's output, numbered in the order in which the job wrote it. */
export const JobOutput = defineBookkeeping({
  name: 'JobOutput',
  fields: {
    job_id: ref('Job', { indexed: false, onDelete: 'cascade' }).required(),
    seq: count(0),
    stream: choice(['stdout', 'stderr']).required(),
    at: instant().required(),
    data: binary().required(),
  },
  unique: [['job_id', 'seq']],
});

export interface OutputPage {
  readonly pieces: readonly {
    readonly seq: number;
    readonly stream: OutputStream;
    readonly at: Instant;
    readonly data: Uint8Array;
  }[];
  /** Whether the job has ended and this page contains its last chunk. */
  readonly complete: boolean;
}

export interface OutputQuery {
  /** Null = both streams. */
  readonly stream?: OutputStream | null;
  /** The number of the last chunk that the caller has; null = from the beginning. */
  readonly after?: number | null;
}

const chunksPerPage = 200;

/** Reads a page of a job's output, the oldest chunk first. */
export async function readOutput(
  tables: Tables,
  job: { readonly id: number; readonly state: JobState },
  { stream = null, after = null }: OutputQuery,
): Promise<OutputPage> {
  const where = [['job_id', '=', job.id] as const, ['seq', '>', after ?? -1] as const];
  const filtered = stream === null ? where : [...where, ['stream', '=', stream] as const];
  const rows = await tables.of(JobOutput).find({ where: filtered, order: [['seq', 'asc']], limit: chunksPerPage });
  return { pieces: rows as OutputPage['pieces'], complete: isJobEnded(job.state) && rows.length < chunksPerPage };
}

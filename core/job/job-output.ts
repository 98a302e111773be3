import type { OutputStream } from '../executor/executor.ts';
import { binary, choice, count, instant, ref } from '../field/fields.ts';
import type { Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
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
/** About how many bytes a page has: a larger one would hold up every other request while it is written in a format. */
const bytesPerPage = 256 * 1024;
/** How many chunks are read before it is known how large they are. */
const firstChunks = 4;

/** Reads a page of a job's output, the oldest chunk first. It has at least one chunk where there is any, however large. */
export async function readOutput(
  tables: Tables,
  job: { readonly id: number; readonly state: JobState },
  { stream = null, after = null }: OutputQuery,
): Promise<OutputPage> {
  const pieces: OutputPage['pieces'][number][] = [];
  let size = 0;
  for (let limit = firstChunks; limit > 0; ) {
    await yieldToEventLoop();
    const last = pieces.at(-1)?.seq ?? after ?? -1;
    const where = [['job_id', '=', job.id] as const, ['seq', '>', last] as const];
    const filtered = stream === null ? where : [...where, ['stream', '=', stream] as const];
    const rows = await tables.of(JobOutput).find({ where: filtered, order: [['seq', 'asc']], limit });
    for (const piece of rows as OutputPage['pieces']) {
      if (pieces.length > 0 && size + piece.data.length > bytesPerPage) return { pieces, complete: false };
      pieces.push(piece);
      size += piece.data.length;
    }
    if (rows.length < limit) return { pieces, complete: isJobEnded(job.state) };
    limit = Math.min(chunksPerPage - pieces.length, fittingChunks(pieces.length, size));
  }
  return { pieces, complete: false };
}

/** Returns how many more chunks a page may have, if they are as large on average as those that it has. */
function fittingChunks(count: number, size: number): number {
  return size >= bytesPerPage ? 0 : Math.ceil(((bytesPerPage - size) * count) / Math.max(size, 1));
}

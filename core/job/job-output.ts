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

export interface TailQuery {
  /** Null = both streams, in the order in which the job wrote them. */
  readonly stream: OutputStream | null;
  /** The maximum number of bytes. */
  readonly size: number;
}

/** Reads the tail of a job's output as text. Bytes that are not UTF-8 become replacement characters. */
export async function readOutputTail(tables: Tables, jobId: number, { stream, size }: TailQuery): Promise<string> {
  const chunks: { readonly stream: OutputStream; readonly data: Uint8Array }[] = [];
  let read = 0;
  // The last chunk is often enough; many small ones are read in ever fewer queries.
  for (let before = Number.MAX_SAFE_INTEGER, limit = 1; read < size; limit = Math.min(2 * limit, chunksPerPage)) {
    await yieldToEventLoop();
    const where = [['job_id', '=', jobId] as const, ['seq', '<', before] as const];
    const filtered = stream === null ? where : [...where, ['stream', '=', stream] as const];
    const found = await tables.of(JobOutput).find({ where: filtered, order: [['seq', 'desc']], limit });
    for (const { stream, data } of found as OutputPage['pieces']) {
      if (read < size) chunks.unshift({ stream, data });
      read += data.length;
    }
    if (found.length < limit) break;
    before = found.at(-1)?.seq ?? 0;
  }
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  const cut = Math.max(0, chunks.reduce((sum, { data }) => sum + data.length, 0) - size);
  const texts = chunks.map(({ stream, data }, index) =>
    decoders[stream].decode(index === 0 ? withoutHead(data, cut) : data, { stream: true }),
  );
  return texts.join('') + decoders.stdout.decode() + decoders.stderr.decode();
}

/** Drops the first `cut` bytes, and up to three more: the rest of a UTF-8 character that the cut splits. */
function withoutHead(bytes: Uint8Array, cut: number): Uint8Array {
  let from = cut;
  while (cut > 0 && from < cut + 3 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return bytes.subarray(from);
}

import { outputCut } from '../executor/attempt-limits.ts';
import type { OutputStream } from '../executor/executor.ts';
import { concatenate } from '../field/concatenate.ts';
import { JobOutput } from '../job/job-output.ts';
import type { Tables } from '../store/store.ts';
import { ExternalLease, type ExternalLeaseRow } from './external-lease.ts';

const newline = 0x0a;
/** The size of output that was cut. */
const cutSize = Number.MAX_SAFE_INTEGER;

export interface ReportedOutput {
  readonly stream: OutputStream;
  readonly data: Uint8Array;
}

/** A limit of output, with the line that replaces what is beyond it. */
export interface OutputLimit {
  /** How many bytes may be stored besides those that are. */
  readonly room: number;
  readonly cutMark: string;
}

/** The limit of one job. */
export function jobOutputLimit({ output_size }: ExternalLeaseRow, maxOutput: number): OutputLimit {
  return { room: Math.max(0, maxOutput - output_size), cutMark: outputCut(maxOutput) };
}

/**
 * Appends the output of a report to the stored output. Beyond the first limit that it reaches it is dropped, also that of
 * later reports, and a last line says so.
 * @returns how many bytes are stored.
 */
export async function appendReportedOutput(
  tables: Tables,
  { id, job_id, output_size }: ExternalLeaseRow,
  limits: readonly OutputLimit[],
  reported: readonly ReportedOutput[],
): Promise<number> {
  const { room, cutMark } = limits.reduce((lowest, limit) => (limit.room < lowest.room ? limit : lowest));
  if (output_size >= cutSize) return 0;
  const chunks: ReportedOutput[] = [];
  let size = 0;
  for (const { stream, data } of reported) {
    if (data.length === 0 || size > room) continue;
    const fitting = data.subarray(0, room - size);
    size += data.length;
    chunks.push({ stream, data: size > room ? withCutMarker(fitting, cutMark) : fitting });
  }
  if (chunks.length === 0) return 0;
  const lastChunk = { where: [['job_id', '=', job_id]], order: [['seq', 'desc']], limit: 1, columns: ['seq'] } as const;
  const [previous] = await tables.of(JobOutput).find(lastChunk);
  const firstSeq = (previous?.seq ?? -1) + 1;
  const at = await tables.now();
  await tables.of(JobOutput).insert(chunks.map((chunk, index) => ({ ...chunk, job_id, at, seq: firstSeq + index })));
  await tables
    .of(ExternalLease)
    .updateWhere([['id', '=', id]], { output_size: size > room ? cutSize : output_size + size });
  return Math.min(size, room);
}

function withCutMarker(data: Uint8Array, cutMark: string): Uint8Array {
  const midLine = data.length > 0 && data.at(-1) !== newline;
  return concatenate([data, new TextEncoder().encode(`${midLine ? '\n' : ''}${cutMark}\n`)]);
}

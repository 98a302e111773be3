import { concatenate } from '../bytes/concatenate.ts';
import { outputCut } from '../executor/attempt-limits.ts';
import type { OutputStream } from '../executor/executor.ts';
import { JobOutput } from '../job/job-output.ts';
import { type DailyLimits, type DailyUsageRow, dailyOutputCut, type UsageOwner } from '../quota/daily-usage.ts';
import type { Tables } from '../store/store.ts';
import type { ExternalLeaseRow } from './external-lease.ts';

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

/** How much of the output of a job is stored. */
type StoredOutput = Pick<ExternalLeaseRow, 'job_id' | 'output_size'>;

/** Returns the limits of further output: that of the job, and the daily one of its company. */
export function outputLimits(
  { output_size }: Pick<StoredOutput, 'output_size'>,
  maxOutput: number,
  usage: DailyUsageRow,
  dailyLimits: DailyLimits,
): readonly OutputLimit[] {
  const ofCompany = Math.max(0, dailyLimits.maxOutputPerDay - usage.output);
  return [
    { room: Math.max(0, maxOutput - output_size), cutMark: outputCut(maxOutput) },
    { room: ofCompany, cutMark: dailyOutputCut(usage.owner as UsageOwner, dailyLimits, usage.day) },
  ];
}

/**
 * Appends the output of a report to the stored output. Beyond the first limit that it reaches it is dropped, also that of
 * later reports, and a last line says so.
 * @returns how many bytes are written, and how many are stored by now, for the lease.
 */
export async function appendReportedOutput(
  tables: Tables,
  { job_id, output_size }: StoredOutput,
  limits: readonly OutputLimit[],
  reported: readonly ReportedOutput[],
): Promise<{ readonly written: number; readonly output_size: number }> {
  const { room, cutMark } = limits.reduce((lowest, limit) => (limit.room < lowest.room ? limit : lowest));
  if (output_size >= cutSize) return { written: 0, output_size };
  const chunks: ReportedOutput[] = [];
  let size = 0;
  for (const { stream, data } of reported) {
    if (data.length === 0 || size > room) continue;
    const fitting = data.subarray(0, room - size);
    size += data.length;
    chunks.push({ stream, data: size > room ? withCutMarker(fitting, cutMark) : fitting });
  }
  if (chunks.length === 0) return { written: 0, output_size };
  const lastChunk = { where: [['job_id', '=', job_id]], order: [['seq', 'desc']], limit: 1, columns: ['seq'] } as const;
  const [previous] = await tables.of(JobOutput).find(lastChunk);
  const firstSeq = (previous?.seq ?? -1) + 1;
  const at = await tables.now();
  await tables.of(JobOutput).insert(chunks.map((chunk, index) => ({ ...chunk, job_id, at, seq: firstSeq + index })));
  return { written: Math.min(size, room), output_size: size > room ? cutSize : output_size + size };
}

function withCutMarker(data: Uint8Array, cutMark: string): Uint8Array {
  const midLine = data.length > 0 && data.at(-1) !== newline;
  return concatenate([data, new TextEncoder().encode(`${midLine ? '\n' : ''}${cutMark}\n`)]);
}

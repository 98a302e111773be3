import { outputCut } from '../executor/attempt-limits.ts';
import type { OutputStream } from '../executor/executor.ts';
import { JobOutput } from '../job/job-output.ts';
import type { Tables } from '../store/store.ts';
import { ExternalLease, type ExternalLeaseRow } from './external-lease.ts';

const newline = 0x0a;

export interface ReportedOutput {
  readonly stream: OutputStream;
  readonly data: Uint8Array;
}

/** Appends the output of a report to the stored output. Beyond the limit it is dropped, and a last line says so. */
export async function appendReportedOutput(
  tables: Tables,
  { id, job_id, output_size }: ExternalLeaseRow,
  limit: number,
  reported: readonly ReportedOutput[],
): Promise<void> {
  const chunks: ReportedOutput[] = [];
  let size = output_size;
  for (const { stream, data } of reported) {
    if (data.length === 0 || size > limit) continue;
    const fitting = data.subarray(0, limit - size);
    size += data.length;
    chunks.push({ stream, data: size > limit ? withCutMarker(fitting, limit) : fitting });
  }
  if (chunks.length === 0) return;
  const lastChunk = { where: [['job_id', '=', job_id]], order: [['seq', 'desc']], limit: 1, columns: ['seq'] } as const;
  const [previous] = await tables.of(JobOutput).find(lastChunk);
  const firstSeq = (previous?.seq ?? -1) + 1;
  const at = await tables.now();
  await tables.of(JobOutput).insert(chunks.map((chunk, index) => ({ ...chunk, job_id, at, seq: firstSeq + index })));
  await tables.of(ExternalLease).updateWhere([['id', '=', id]], { output_size: size });
}

function withCutMarker(data: Uint8Array, limit: number): Uint8Array {
  const midLine = data.length > 0 && data.at(-1) !== newline;
  const marker = new TextEncoder().encode(`${midLine ? '\n' : ''}${outputCut(limit)}\n`);
  const whole = new Uint8Array(data.length + marker.length);
  whole.set(data);
  whole.set(marker, data.length);
  return whole;
}

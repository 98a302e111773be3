import type { OutputStream } from '../executor/executor.ts';
import { outputCut } from '../executor/output-cut.ts';
import { JobOutput } from '../job/job-output.ts';
import type { Tables } from '../store/store.ts';
import { ExternalLease, type ExternalLeaseRow } from './external-lease.ts';

const newline = 0x0a;

export interface ReportedOutput {
  readonly stream: OutputStream;
  readonly data: Uint8Array;
}

/**
 * Keeps what an attempt outside wrote, behind what it wrote before. Beyond the limit a line says that it was cut, and
 * nothing more is kept.
 */
export async function keepOutput(
  tables: Tables,
  { id, job_id, output_size }: ExternalLeaseRow,
  limit: number,
  reported: readonly ReportedOutput[],
): Promise<void> {
  const pieces: ReportedOutput[] = [];
  let size = output_size;
  for (const { stream, data } of reported) {
    if (data.length === 0 || size > limit) continue;
    const kept = data.subarray(0, limit - size);
    size += data.length;
    pieces.push({ stream, data: size > limit ? cutOff(kept, limit) : kept });
  }
  if (pieces.length === 0) return;
  const last = { where: [['job_id', '=', job_id]], order: [['seq', 'desc']], limit: 1, columns: ['seq'] } as const;
  const [before] = await tables.of(JobOutput).find(last);
  const from = (before?.seq ?? -1) + 1;
  const at = await tables.now();
  await tables.of(JobOutput).insert(pieces.map((piece, index) => ({ ...piece, job_id, at, seq: from + index })));
  await tables.of(ExternalLease).updateWhere([['id', '=', id]], { output_size: size });
}

function cutOff(kept: Uint8Array, limit: number): Uint8Array {
  const begun = kept.length > 0 && kept.at(-1) !== newline;
  const marker = new TextEncoder().encode(`${begun ? '\n' : ''}${outputCut(limit)}\n`);
  const whole = new Uint8Array(kept.length + marker.length);
  whole.set(kept);
  whole.set(marker, kept.length);
  return whole;
}

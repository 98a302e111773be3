import type { OutputStream } from '../executor/executor.ts';
import type { Tables } from '../store/store.ts';
import type { JobRow } from './job.ts';
import { JobOutput } from './job-output.ts';
import { isJobEnded } from './job-states.ts';

export interface OutputPage {
  readonly pieces: readonly {
    readonly seq: number;
    readonly stream: OutputStream;
    readonly at: number;
    readonly data: Uint8Array;
  }[];
  /** Nothing will follow these pieces. */
  readonly complete: boolean;
}

export interface OutputQuery {
  /** Null = both. */
  readonly stream?: OutputStream | null;
  /** The number of the last piece that is known; null = from the beginning. */
  readonly after?: number | null;
}

const piecesPerPage = 200;

/** Some pieces of what a job wrote. */
export async function readOutput(
  tables: Tables,
  job: Pick<JobRow, 'id' | 'state'>,
  { stream = null, after = null }: OutputQuery,
): Promise<OutputPage> {
  const where = [['job_id', '=', job.id] as const, ['seq', '>', after ?? -1] as const];
  const wanted = stream === null ? where : [...where, ['stream', '=', stream] as const];
  const rows = await tables.of(JobOutput).find({ where: wanted, order: [['seq', 'asc']], limit: piecesPerPage });
  return { pieces: rows as OutputPage['pieces'], complete: isJobEnded(job.state) && rows.length < piecesPerPage };
}

import type { OutputStream } from '../executor/executor.ts';
import { text } from '../field/fields.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { ComputedOptions } from '../resource/define-resource.ts';
import { excerptOf } from '../resource/excerpt.ts';
import type { Tables } from '../store/store.ts';
import { Artifact } from './artifact.ts';
import { JobOutput } from './job-output.ts';

/** How many bytes of each stream a job is shown with. */
const tailSize = 64 * 1024;

const files = excerptOf(Artifact, ['id', 'filename', 'content_type', 'size', 'sha256']);

/** The computed fields of a single job: the tail of its output, and the files it left. */
export const jobDetails: ComputedOptions<{ readonly id: number; readonly started_at: number | null }> = {
  fields: {
    stdout: text(65_536, { readOnly: true, description: 'The last 64 KiB.' }).default('').nonNullable(),
    stderr: text(65_536, { readOnly: true, description: 'The last 64 KiB.' }).default('').nonNullable(),
    artifacts: files.list('The files that it left.'),
  },
  embeds: { artifacts: { resource: Artifact } },
  detailOnly: true,
  async load(tables, rows) {
    const details: Record<string, unknown>[] = [];
    for (const { id, started_at } of rows) {
      await yieldToEventLoop();
      details.push(started_at === null ? { stdout: '', stderr: '', artifacts: [] } : await detailsOf(tables, id));
    }
    return details;
  },
};

async function detailsOf(tables: Tables, jobId: number): Promise<Record<string, unknown>> {
  const artifacts = await tables.of(Artifact).find({ where: [['job_id', '=', jobId]], order: [['id', 'asc']] });
  return {
    stdout: await outputTail(tables, jobId, 'stdout'),
    stderr: await outputTail(tables, jobId, 'stderr'),
    artifacts: artifacts.map(files.of),
  };
}

/** Reads the tail of a stream as text. Bytes that are not UTF-8 become replacement characters. */
async function outputTail(tables: Tables, jobId: number, stream: OutputStream): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let before = Number.MAX_SAFE_INTEGER; size < tailSize; ) {
    await yieldToEventLoop();
    const where = [
      ['job_id', '=', jobId],
      ['stream', '=', stream],
      ['seq', '<', before],
    ] as const;
    const [chunk] = await tables.of(JobOutput).find({ where, order: [['seq', 'desc']], limit: 1 });
    if (!chunk) break;
    parts.unshift(chunk.data as Uint8Array);
    size += (chunk.data as Uint8Array).length;
    before = chunk.seq;
  }
  const decoder = new TextDecoder();
  const cut = Math.max(0, size - tailSize);
  const text = parts.map((part, index) =>
    decoder.decode(index === 0 ? withoutHead(part, cut) : part, { stream: true }),
  );
  return text.join('') + decoder.decode();
}

/** Drops the first `cut` bytes, and up to three more: the rest of a UTF-8 character that the cut splits. */
function withoutHead(bytes: Uint8Array, cut: number): Uint8Array {
  let from = cut;
  while (cut > 0 && from < cut + 3 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return bytes.subarray(from);
}

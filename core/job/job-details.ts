import { text } from '../field/fields.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { ComputedOptions } from '../resource/define-resource.ts';
import { excerptOf } from '../resource/excerpt.ts';
import type { Tables } from '../store/store.ts';
import { Artifact } from './artifact.ts';
import { readOutputTail } from './job-output.ts';

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
    stdout: await readOutputTail(tables, jobId, { stream: 'stdout', size: tailSize }),
    stderr: await readOutputTail(tables, jobId, { stream: 'stderr', size: tailSize }),
    artifacts: artifacts.map(files.of),
  };
}

import type { Reaction } from '../audit/removal.ts';
import { conflict } from '../errors.ts';
import { newRow } from '../resource/new-row.ts';
import type { Tables } from '../resource/store.ts';
import { Job, type JobRow } from '../schedule/job.ts';
import { isJobEnded } from '../schedule/job-states.ts';
import { Artifact, ArtifactContent } from './artifact.ts';
import type { KeptFile } from './executor.ts';

/** Keeps the files that a job left behind. */
export async function keepFiles(tables: Tables, jobId: number, files: readonly KeptFile[]): Promise<void> {
  if (files.length === 0) return;
  const [job] = await tables.of(Job).find({ where: [['id', '=', jobId]], columns: ['company_id'] });
  const artifacts = files.map((file) =>
    newRow(Artifact, {
      job_id: jobId,
      company_id: job?.company_id as number,
      filename: file.filename,
      content_type: file.contentType,
      size: file.content.length,
      sha256: file.sha256,
    }),
  );
  const ids = await tables.of(Artifact).insert(artifacts);
  await tables
    .of(ArtifactContent)
    .insert(files.map(({ content }, index) => newRow(ArtifactContent, { artifact_id: ids[index] as number, content })));
}

/** A job that has not ended is not deleted: whoever wants it gone cancels it first. */
export const keepLiveJob: Reaction<JobRow> = async ({ before, after }) => {
  if (before && !after && !isJobEnded(before.state))
    throw conflict(`Job ${before.id} is ${before.state}: cancel it before it is deleted.`);
};

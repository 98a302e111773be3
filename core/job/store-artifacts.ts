import { conflict } from '../errors.ts';
import type { ArtifactFile } from '../executor/executor.ts';
import type { RecordChange } from '../resource/define-resource.ts';
import type { Tables } from '../store/store.ts';
import { newRow } from '../store/table.ts';
import { Artifact, ArtifactContent } from './artifact.ts';
import { Job, type JobRow } from './job.ts';
import { isJobEnded } from './job-states.ts';

/** Keeps the files that a job left behind. */
export async function storeArtifacts(tables: Tables, jobId: number, files: readonly ArtifactFile[]): Promise<void> {
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
export async function refuseLiveJobDeletion({ before, after }: RecordChange<JobRow>): Promise<void> {
  if (before && !after && !isJobEnded(before.state))
    throw conflict(`Job ${before.id} is ${before.state}: cancel it before it is deleted.`);
}

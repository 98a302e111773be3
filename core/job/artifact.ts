import { notFound } from '../errors.ts';
import type { ArtifactFile } from '../executor/executor.ts';
import { binary, count, ref, text } from '../field/fields.ts';
import { readVisible } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import { defineResource } from '../resource/define-resource.ts';
import { byMembership } from '../resource/permissions.ts';
import type { Tables } from '../store/store.ts';
import { defineBookkeeping, newRow, type RowOfTable } from '../store/table.ts';

/** A file that an attempt left in its working directory, stored with its checksum. Its content is in `ArtifactContent`. */
export const Artifact = defineResource({
  name: 'Artifact',
  names: { singular: 'artifact', plural: 'artifacts', id: 'artifactId' },
  description: 'A file that a job left behind.',
  example: {
    job_id: 1,
    company_id: 1,
    filename: 'backup.sql',
    content_type: 'application/sql',
    size: 73_400_320,
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  },
  operations: [],
  permissions: byMembership({ read: 'viewer', write: 'the service' }),
  company: 'company_id',
  summaryFields: ['id', 'filename', 'content_type', 'size', 'sha256'],
  fields: {
    job_id: ref('Job', { immutable: true, onDelete: 'cascade' }).required(),
    company_id: ref('Company', { immutable: true }).required(),
    filename: text(1024, { description: 'Relative to the working directory.' }).required(),
    content_type: text(255).required(),
    size: count(0, { description: 'Bytes.' }),
    sha256: text(64).required(),
  },
});
export type ArtifactRow = RowOfTable<typeof Artifact>;

/** The bytes of an artifact, in a table of their own so that lists of artifacts never read them. */
export const ArtifactContent = defineBookkeeping({
  name: 'ArtifactContent',
  fields: {
    artifact_id: ref('Artifact', { unique: true, onDelete: 'cascade' }).required(),
    content: binary().required(),
  },
});

/** Stores the files that a job left, with their contents. */
export async function storeArtifacts(
  tables: Tables,
  job: { readonly id: number; readonly company_id: number },
  files: readonly ArtifactFile[],
): Promise<void> {
  if (files.length === 0) return;
  const artifacts = files.map((file) =>
    newRow(Artifact, {
      job_id: job.id,
      company_id: job.company_id,
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

export interface StoredArtifact {
  readonly row: ArtifactRow;
  readonly content: Uint8Array;
}

/** Reads an artifact with its content. @throws HorariumError `not_found`, also for one that the actor may not see. */
export async function readArtifact(tables: Tables, actor: Actor, id: number): Promise<StoredArtifact> {
  const row = await readVisible(tables, actor, Artifact, id);
  const [stored] = await tables.of(ArtifactContent).find({ where: [['artifact_id', '=', id]], limit: 1 });
  if (!stored) throw notFound(Artifact.name, id);
  return { row, content: stored.content };
}

import { binary, count, ref, text } from '../field/fields.ts';
import { defineResource } from '../resource/define-resource.ts';
import { byMembership } from '../resource/permissions.ts';
import { defineBookkeeping, type RowOfTable } from '../store/table.ts';

/** A file that an attempt left behind. */
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
  permissions: byMembership({ read: 'viewer', write: 'service' }),
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

/** The bytes of an artifact, apart from what lists read. */
export const ArtifactContent = defineBookkeeping({
  name: 'ArtifactContent',
  fields: {
    artifact_id: ref('Artifact', { unique: true, onDelete: 'cascade' }).required(),
    content: binary().required(),
  },
});

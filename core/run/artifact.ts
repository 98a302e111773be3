import { defineBookkeeping, defineResource } from '../resource/define-resource.ts';
import { binary, count, ref, text } from '../resource/fields.ts';

/** A file that an attempt left behind. */
export const Artifact = defineResource({
  name: 'Artifact',
  words: { one: 'artifact', many: 'artifacts', id: 'artifactId' },
  note: 'A file that a job left behind.',
  example: {
    job_id: 1,
    company_id: 1,
    filename: 'backup.sql',
    content_type: 'application/sql',
    size: 73_400_320,
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  },
  operations: [],
  company: 'company_id',
  glance: ['id', 'filename', 'content_type', 'size', 'sha256'],
  fields: {
    job_id: ref('Job', { fixed: true, whenGone: 'goes' }).required(),
    company_id: ref('Company', { fixed: true }).required(),
    filename: text(1024, { note: 'Relative to the working directory.' }).required(),
    content_type: text(255).required(),
    size: count(0, { note: 'Bytes.' }),
    sha256: text(64).required(),
  },
});
export type ArtifactRow = NonNullable<(typeof Artifact)['row']>;

/** The bytes of an artifact, apart from what lists read. */
export const ArtifactContent = defineBookkeeping({
  name: 'ArtifactContent',
  fields: {
    artifact_id: ref('Artifact', { unique: true, whenGone: 'goes' }).required(),
    content: binary().required(),
  },
});

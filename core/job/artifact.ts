import { array, number, object, string } from 'yup';
import type { AuditedStore } from '../audit/audited-store.ts';
import { notFound } from '../errors.ts';
import type { ArtifactFile } from '../executor/executor.ts';
import { binary, count, ref, text } from '../field/fields.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { readVisible } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import { defineResource, type Resource } from '../resource/define-resource.ts';
import { byMembership } from '../resource/permissions.ts';
import type { Tables } from '../store/store.ts';
import { defineBookkeeping, newRow, type RowOfTable } from '../store/table.ts';

const described = defineResource({
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
  sharesEntries: true,
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
export type ArtifactRow = { [K in keyof RowOfTable<typeof described>]: RowOfTable<typeof described>[K] };

/** A file that an attempt left in its working directory, stored with its checksum. Its content is in `ArtifactContent`. */
export const Artifact: Resource<ArtifactRow> = described;

/**
 * A piece of the bytes of an artifact, numbered from 0 on; an empty one has none. They are in a table of their own so that
 * lists of artifacts never read them, and in pieces so that no download holds all of it.
 */
export const ArtifactContent = defineBookkeeping({
  name: 'ArtifactContent',
  fields: {
    artifact_id: ref('Artifact', { indexed: false, onDelete: 'cascade' }).required(),
    seq: count(0),
    content: binary().required(),
  },
  unique: [['artifact_id', 'seq']],
});

/** The size of a piece, in bytes; the last one of a file may have less. */
export const pieceSize = 128 * 1024;

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
  const pieces = files.flatMap(({ content }, index) => piecesOf(ids[index] as number, content));
  if (pieces.length > 0) await tables.of(ArtifactContent).insert(pieces);
}

function piecesOf(artifact_id: number, content: Uint8Array): Omit<RowOfTable<typeof ArtifactContent>, 'id'>[] {
  return Array.from({ length: Math.ceil(content.length / pieceSize) }, (_, seq) =>
    newRow(ArtifactContent, {
      artifact_id,
      seq,
      content: content.subarray(seq * pieceSize, (seq + 1) * pieceSize),
    }),
  );
}

export interface StoredArtifact {
  readonly row: ArtifactRow;
  /** The content in pieces of at most 128 KiB. Each piece is read from the store when the one before was taken. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** Reads an artifact. @throws HorariumError `not_found`, also for one that the actor may not see. */
export async function readArtifact(store: AuditedStore, actor: Actor, id: number): Promise<StoredArtifact> {
  const row = await store.readOnce((tables) => readVisible(tables, actor, Artifact, id));
  return { row, content: readContent(store, row) };
}

/** Reads the content of an artifact in pieces. @throws HorariumError `not_found` when it is deleted meanwhile. */
export async function* readContent(
  store: Pick<AuditedStore, 'readOnce'>,
  { id, size }: Pick<ArtifactRow, 'id' | 'size'>,
): AsyncGenerator<Uint8Array, void> {
  for (let seq = 0, read = 0; read < size; seq += 1) {
    await yieldToEventLoop();
    const where = [['artifact_id', '=', id] as const, ['seq', '=', seq] as const];
    const [piece] = await store.readOnce((tables) => tables.of(ArtifactContent).find({ where }));
    if (!piece) throw notFound(Artifact.name, id);
    read += piece.content.length;
    yield piece.content;
  }
}

const inputFile = object({
  artifact_id: number().integer().required(),
  size: number().integer().required(),
  mark: string().required(),
}).noUnknown();

/** The artifacts of other jobs that a job is given as files, each with the mark that stands for its path. */
export const inputFiles = array().of(inputFile).defined();
export type InputFile = Readonly<NonNullable<(typeof inputFiles)['__outputType'][number]>>;

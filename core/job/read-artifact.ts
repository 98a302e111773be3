import { notFound } from '../errors.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { Artifact, ArtifactContent, type ArtifactRow } from './artifact.ts';

export interface StoredArtifact {
  readonly row: ArtifactRow;
  readonly content: Uint8Array;
}

/** A file that a job left behind, whole. @throws HorariumError `not_found`, also for what `visible` leaves out. */
export async function readArtifact(tables: Tables, visible: Where<ArtifactRow>, id: number): Promise<StoredArtifact> {
  const [row] = await tables.of(Artifact).find({ where: [['id', '=', id], ...visible], limit: 1 });
  const [kept] = row ? await tables.of(ArtifactContent).find({ where: [['artifact_id', '=', id]], limit: 1 }) : [];
  if (!row || !kept) throw notFound(Artifact.name, id);
  return { row, content: kept.content as Uint8Array };
}

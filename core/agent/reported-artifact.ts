import type { AgentExecutor } from '../executor/agent-executor.ts';
import { artifactRefusal } from '../executor/attempt-limits.ts';
import { declaredMediaType } from '../executor/media-type.ts';
import { maxFilename, relativePath } from '../external/reported-files.ts';
import { Artifact, ArtifactContent, pieceSize } from '../job/artifact.ts';
import { redactOrMask } from '../job/given-secrets.ts';
import type { JobRow } from '../job/job.ts';
import { type DailyLimits, DailyUsage, describeExhausted, lockUsage } from '../quota/daily-usage.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { insertOne } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { newRow } from '../store/table.ts';
import type { AgentLeaseRow } from './agent-lease.ts';
import type { AgentEvent } from './agent-report.ts';

/** How much of the file that is being reported is stored. */
export type ArtifactProgress = Pick<
  AgentLeaseRow,
  'artifact_id' | 'artifact_left' | 'artifact_pieces' | 'unstored' | 'unstored_reason'
>;

interface ArtifactContext {
  readonly job: JobRow;
  readonly redactor: Redactor | null;
  readonly executor: AgentExecutor;
  readonly dailyLimits: DailyLimits;
}

/** Begins to store a file, if it may be stored; its pieces follow. The one before must be complete, or it is deleted. */
export async function beginArtifact(
  tables: Tables,
  before: ArtifactProgress,
  { filename, contentType, size, sha256 }: Extract<AgentEvent, { kind: 'file' }>,
  { job, redactor, executor, dailyLimits }: ArtifactContext,
): Promise<ArtifactProgress> {
  const progress = await endArtifact(tables, before);
  const name = await redactOrMask(redactor, filename);
  const refusal = await refusalOf(tables, job, { name, size }, executor);
  if (refusal !== null) return unstored({ ...progress, artifact_left: size }, refusal);
  const owner = `company ${job.company_id}` as const;
  const usage = await lockUsage(tables, owner);
  if (size > dailyLimits.maxArtifactsPerDay - usage.artifacts)
    return unstored(
      { ...progress, artifact_left: size },
      describeExhausted('artifacts', owner, dailyLimits, usage.day),
    );
  await tables.of(DailyUsage).update([{ row: usage, set: { artifacts: usage.artifacts + size } }]);
  const content_type = declaredMediaType(contentType) ?? 'application/octet-stream';
  const row = newRow(Artifact, {
    job_id: job.id,
    company_id: job.company_id,
    filename: name,
    content_type,
    size,
    sha256,
  });
  const artifact_id = await insertOne(tables.of(Artifact), row);
  return { ...progress, artifact_id, artifact_left: size, artifact_pieces: 0 };
}

/** Returns why a file is not stored, as the end of a sentence; null = it is. */
async function refusalOf(
  tables: Tables,
  job: JobRow,
  { name, size }: { readonly name: string; readonly size: number },
  { limits }: AgentExecutor,
): Promise<string | null> {
  if (name.length > maxFilename || !relativePath.test(name)) return 'its name is no relative path';
  const stored = await tables.of(Artifact).find({ where: [['job_id', '=', job.id]], columns: ['filename', 'size'] });
  if (stored.some(({ filename }) => filename === name)) return `${name} is stored already`;
  const bytes = stored.reduce((sum, artifact) => sum + artifact.size, 0);
  return artifactRefusal(size, { files: stored.length, bytes }, limits);
}

/** Stores a piece of the file that is being reported; of a file that is not stored it is dropped. */
export async function addPiece(
  tables: Tables,
  progress: ArtifactProgress,
  bytes: Uint8Array,
): Promise<ArtifactProgress> {
  const { artifact_id, artifact_left, artifact_pieces: seq } = progress;
  const left = artifact_left - bytes.length;
  if (artifact_id === null || bytes.length === 0) return { ...progress, artifact_left: Math.max(0, left) };
  // Readers find a piece by its offset.
  if (left < 0 || (left > 0 && bytes.length !== pieceSize))
    return endArtifact(tables, { ...progress, artifact_left: 1 });
  await tables.of(ArtifactContent).insert([newRow(ArtifactContent, { artifact_id, seq, content: bytes })]);
  return { ...progress, artifact_left: left, artifact_pieces: seq + 1 };
}

/** Ends the file that is being reported. One that lacks pieces is deleted. */
export async function endArtifact(tables: Tables, progress: ArtifactProgress): Promise<ArtifactProgress> {
  const ended = { ...progress, artifact_id: null, artifact_left: 0, artifact_pieces: 0 };
  if (progress.artifact_id === null || progress.artifact_left === 0) return ended;
  await tables.of(ArtifactContent).delete([['artifact_id', '=', progress.artifact_id]]);
  await tables.of(Artifact).delete([['id', '=', progress.artifact_id]]);
  return unstored(ended, 'its content is incomplete');
}

function unstored(progress: ArtifactProgress, reason: string): ArtifactProgress {
  return {
    ...progress,
    artifact_id: null,
    unstored: progress.unstored + 1,
    unstored_reason: progress.unstored_reason ?? reason.slice(0, 1024),
  };
}

/** Says that files are not stored, as a part of a reason; null = all are. */
export function unstoredText({ unstored: count, unstored_reason: reason }: ArtifactProgress): string | null {
  if (count === 0) return null;
  return `${count === 1 ? 'a file was' : `${count} files were`} not stored: ${reason}`;
}

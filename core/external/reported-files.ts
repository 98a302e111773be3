import { array, object, string } from 'yup';
import type { FieldError } from '../errors.ts';
import { conflict } from '../errors.ts';
import { type ArtifactLimits, artifactRefusal } from '../executor/artifact-limits.ts';
import { contentTypeOf, mediaType } from '../executor/content-type.ts';
import type { ArtifactFile } from '../executor/executor.ts';
import { Artifact } from '../job/artifact.ts';
import { storeArtifacts } from '../job/store-artifacts.ts';
import { throwIfInvalid } from '../records/input.ts';
import type { Tables } from '../store/store.ts';

/** A relative path that leads nowhere else, on whatever system it is saved again. */
const insidePath = /^(?:(?!\.{1,2}(?:\/|$))[^/\\\p{Cc}\p{Cs}]+(?:\/(?!$)|$))+$/u;

const reportedFile = object({
  filename: string()
    .max(1024)
    .matches(insidePath, ({ path }) => `${path} must be a relative path such as out/report.pdf, without . and ..`)
    .required(),
  content: string()
    .defined()
    .meta({ plain: { type: 'string', contentEncoding: 'base64' } }),
  content_type: string()
    .max(255)
    .matches(mediaType, ({ path }) => `${path} must be a media type such as application/pdf`)
    .nullable(),
}).noUnknown();

/** Files as they are handed in: their content is base64, which JSON can hold whatever the bytes are. */
export const reportedFiles = array().of(reportedFile).max(1000).defined();
export type ReportedFile = NonNullable<(typeof reportedFiles)['__outputType'][number]>;

/** What was handed in as files; each that cannot be read is added to `errors`. */
export async function readFiles(given: readonly ReportedFile[], errors: FieldError[]): Promise<ArtifactFile[]> {
  const files: ArtifactFile[] = [];
  const names = new Set<string>();
  for (const [at, { filename, content, content_type }] of given.entries()) {
    const bytes = bytesOf(content);
    if (!bytes) errors.push({ field: `artifacts[${at}].content`, message: `artifacts[${at}].content must be base64` });
    if (names.has(filename))
      errors.push({ field: `artifacts[${at}].filename`, message: `${filename} is handed in twice` });
    names.add(filename);
    if (bytes)
      files.push({
        filename,
        contentType: contentTypeOf(filename, content_type ?? ''),
        sha256: await sha256(bytes),
        content: bytes,
      });
  }
  return files;
}

/**
 * Keeps the files of an attempt outside, all of them or none.
 * @throws HorariumError `invalid` naming those that are too large or too many, `conflict` for one that is kept already.
 */
export async function keepReported(
  tables: Tables,
  jobId: number,
  files: readonly ArtifactFile[],
  limits: ArtifactLimits,
): Promise<void> {
  if (files.length === 0) return;
  const known = await tables.of(Artifact).find({ where: [['job_id', '=', jobId]], columns: ['filename', 'size'] });
  const twice = files.find(({ filename }) => known.some((each) => each.filename === filename));
  if (twice) throw conflict(`${twice.filename} of Job ${jobId} is kept already: files never change.`);
  const errors: FieldError[] = [];
  let kept = { files: known.length, bytes: known.reduce((sum, { size }) => sum + size, 0) };
  for (const [at, { filename, content }] of files.entries()) {
    const refusal = artifactRefusal(content.length, kept, limits);
    if (refusal) errors.push({ field: `artifacts[${at}]`, message: `${filename} cannot be kept: ${refusal}` });
    else kept = { files: kept.files + 1, bytes: kept.bytes + content.length };
  }
  throwIfInvalid('Job', errors);
  await storeArtifacts(tables, jobId, files);
}

/** The bytes of base64, in whatever lines it is written; null when it is none. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
    return bytes;
  } catch {
    return null;
  }
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

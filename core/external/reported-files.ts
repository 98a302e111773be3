import { array, object, string } from 'yup';
import { sha256 } from '../bytes/sha256.ts';
import type { FieldError } from '../errors.ts';
import { conflict } from '../errors.ts';
import { artifactRefusal } from '../executor/attempt-limits.ts';
import type { ArtifactFile, ExternalExecutor } from '../executor/executor.ts';
import { declaredMediaType, mediaTypePattern } from '../executor/media-type.ts';
import { Artifact, storeArtifacts } from '../job/artifact.ts';
import type { JobRow } from '../job/job.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { throwIfInvalid } from '../records/input.ts';
import type { Tables } from '../store/store.ts';

/** The maximum characters of a file's content in base64, whatever larger bodies the service is set to take. */
const maxContent = 128 * 1024 * 1024;

/** A relative path that does not leave its folder on any operating system. */
export const relativePath = /^(?:(?!\.{1,2}(?:\/|$))[^/\\\p{Cc}\p{Cs}]+(?:\/(?!$)|$))+$/u;

/** The maximum characters of the name of a file. */
export const maxFilename = 1024;

const reportedFile = object({
  filename: string()
    .max(maxFilename)
    .matches(relativePath, ({ path }) => `${path} must be a relative path such as out/report.pdf, without . and ..`)
    .required(),
  content: string()
    .max(maxContent)
    .defined()
    .meta({ jsonSchema: { type: 'string', contentEncoding: 'base64' } }),
  content_type: string()
    .max(255)
    .matches(mediaTypePattern, ({ path }) => `${path} must be a media type such as application/pdf`)
    .nullable(),
}).noUnknown();

/** The files of a report, with base64 content because JSON cannot contain bytes. */
export const reportedFiles = array().of(reportedFile).max(1000).defined();
export type ReportedFile = NonNullable<(typeof reportedFiles)['__outputType'][number]>;

/** A file whose report may leave out the content type. */
export type UntypedFile = Omit<ArtifactFile, 'contentType'> & { readonly contentType: string | null };

/** Decodes the files of a report. Invalid content and duplicate names are added to `errors`. */
export async function readReportedFiles(
  reported: readonly ReportedFile[],
  errors: FieldError[],
): Promise<UntypedFile[]> {
  const files: UntypedFile[] = [];
  const names = new Set<string>();
  for (const [index, { filename, content, content_type }] of reported.entries()) {
    await yieldToEventLoop();
    const bytes = bytesOf(content);
    if (!bytes)
      errors.push({ field: `artifacts[${index}].content`, message: `artifacts[${index}].content must be base64` });
    if (names.has(filename))
      errors.push({ field: `artifacts[${index}].filename`, message: `${filename} is reported twice` });
    names.add(filename);
    if (bytes)
      files.push({
        filename,
        contentType: declaredMediaType(content_type),
        sha256: await sha256(bytes),
        content: bytes,
      });
  }
  return files;
}

/**
 * Stores the files of a report, all of them or none.
 * @throws HorariumError `invalid` naming the files that are too large or too many, `conflict` for a file that is stored
 * already.
 */
export async function storeReportedFiles(
  tables: Tables,
  job: Pick<JobRow, 'id' | 'company_id'>,
  files: readonly UntypedFile[],
  { limits, contentTypeOf }: ExternalExecutor,
): Promise<void> {
  if (files.length === 0) return;
  const stored = await tables.of(Artifact).find({ where: [['job_id', '=', job.id]], columns: ['filename', 'size'] });
  const duplicate = files.find(({ filename }) => stored.some((artifact) => artifact.filename === filename));
  if (duplicate) throw conflict(`${duplicate.filename} of Job ${job.id} is stored already: files never change.`);
  const errors: FieldError[] = [];
  let usage = { files: stored.length, bytes: stored.reduce((sum, { size }) => sum + size, 0) };
  for (const [index, { filename, content }] of files.entries()) {
    const refusal = artifactRefusal(content.length, usage, limits);
    if (refusal) errors.push({ field: `artifacts[${index}]`, message: `${filename} cannot be stored: ${refusal}` });
    else usage = { files: usage.files + 1, bytes: usage.bytes + content.length };
  }
  throwIfInvalid('Job', errors);
  const typed = files.map((file) => ({ ...file, contentType: file.contentType ?? contentTypeOf(file.filename) }));
  await storeArtifacts(tables, job, typed);
}

/** Decodes base64 with or without line breaks; null = the text is not base64. */
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

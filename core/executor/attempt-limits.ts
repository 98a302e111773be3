import type { RowOf } from '../field/field-meta.ts';
import { count } from '../field/fields.ts';

const mebibyte = 1024 * 1024;

/** How much of the output and the files of one attempt is stored. */
export interface AttemptLimits {
  /** Bytes of output. */
  readonly outputLimit: number;
  /** Bytes of one file. */
  readonly fileLimit: number;
  /** Bytes of all files together. */
  readonly filesLimit: number;
  readonly filesCount: number;
}

/** The options by which the owner of a service sets these limits, the same for every executor. */
export const attemptLimitOptions = {
  output_limit: count(10 * mebibyte, { description: 'Bytes of output that are stored of one job.' }),
  file_limit: count(10 * mebibyte, { description: 'Bytes of one stored file.' }),
  files_limit: count(50 * mebibyte, { description: 'Bytes of all stored files of one job.' }),
  files_count: count(1000, { description: 'Stored files of one job.' }),
};

export function attemptLimits(options: RowOf<typeof attemptLimitOptions>): AttemptLimits {
  return {
    outputLimit: options.output_limit,
    fileLimit: options.file_limit,
    filesLimit: options.files_limit,
    filesCount: options.files_count,
  };
}

/** The line that replaces output beyond the limit. */
export function outputCut(limit: number): string {
  const size = limit % mebibyte === 0 ? `${limit / mebibyte} MiB` : `${limit} bytes`;
  return `[horarium: output cut after ${size}]`;
}

/** The number and size of the files that are stored of a job. */
export interface ArtifactUsage {
  readonly files: number;
  readonly bytes: number;
}

/** Says why a file of that size is not stored besides those that are; null = it is. */
export function artifactRefusal(size: number, stored: ArtifactUsage, limits: AttemptLimits): string | null {
  const { fileLimit, filesLimit, filesCount } = limits;
  if (size > fileLimit) return `it has ${size} bytes, more than the ${fileLimit} that a file may have`;
  if (stored.files >= filesCount) return `there may be ${filesCount} files of one job`;
  return stored.bytes + size > filesLimit ? `the files of one job may have ${filesLimit} bytes together` : null;
}

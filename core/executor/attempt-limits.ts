import type { RowOf } from '../field/field-meta.ts';
import { count } from '../field/fields.ts';

const mebibyte = 1024 * 1024;

/** The limits of the output and the files that are stored of one attempt. */
export interface AttemptLimits {
  /** The most bytes of output. */
  readonly outputLimit: number;
  /** The most bytes of one file. */
  readonly fileLimit: number;
  /** The most bytes of all files together. */
  readonly filesLimit: number;
  /** Number of files. */
  /** The most files. */
  readonly filesCount: number;
}

/** The plugin options that set these limits, the same for every executor. */
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

/** Writes the line that replaces output beyond the limit. */
export function outputCut(limit: number): string {
  const size = limit % mebibyte === 0 ? `${limit / mebibyte} MiB` : `${limit} bytes`;
  return `[horarium: output cut after ${size}]`;
}

/** The number and size of the files that are stored of a job. */
export interface ArtifactUsage {
  readonly files: number;
  readonly bytes: number;
}

/**
 * Checks the size of a further file against the limits.
 * @returns the reason why it cannot be stored besides those that are; null when it can.
 */
export function artifactRefusal(size: number, stored: ArtifactUsage, limits: AttemptLimits): string | null {
  const { fileLimit, filesLimit, filesCount } = limits;
  if (size > fileLimit) return `it has ${size} bytes; a file may have at most ${fileLimit}`;
  if (stored.files >= filesCount) return `a job may have at most ${filesCount} files`;
  return stored.bytes + size > filesLimit ? `the files of a job may have at most ${filesLimit} bytes together` : null;
}

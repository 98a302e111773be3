import { formatSize } from '../field/byte-size.ts';
import type { RowOf } from '../field/field-meta.ts';
import { count } from '../field/fields.ts';

const mebibyte = 1024 * 1024;

/** The limits of the output and the files that are stored of one attempt. */
export interface AttemptLimits {
  /** The maximum number of bytes of output. */
  readonly maxOutput: number;
  /** The maximum size of one file, in bytes. */
  readonly maxFileSize: number;
  /** The maximum size of all files together, in bytes. */
  readonly maxTotalFileSize: number;
  /** The maximum number of files. */
  readonly maxFiles: number;
}

/** The plugin options that set these limits, the same for every executor. */
export const attemptLimitOptions = {
  max_output: count(10 * mebibyte, { description: "The maximum size of one job's stored output, in bytes." }),
  max_file_size: count(10 * mebibyte, { description: 'The maximum size of one stored file, in bytes.' }),
  max_total_file_size: count(50 * mebibyte, {
    description: "The maximum size of one job's stored files together, in bytes.",
  }),
  max_files: count(1000, { description: 'The maximum number of stored files of one job.' }),
};

export function attemptLimits(options: RowOf<typeof attemptLimitOptions>): AttemptLimits {
  return {
    maxOutput: options.max_output,
    maxFileSize: options.max_file_size,
    maxTotalFileSize: options.max_total_file_size,
    maxFiles: options.max_files,
  };
}

/** Writes the line that replaces output beyond the limit. */
export function outputCut(limit: number): string {
  return `[horarium: output cut after ${formatSize(limit)}]`;
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
  const { maxFileSize, maxTotalFileSize, maxFiles } = limits;
  if (size > maxFileSize) return `it has ${size} bytes; a file may have at most ${maxFileSize}`;
  if (stored.files >= maxFiles) return `a job may have at most ${maxFiles} files`;
  return stored.bytes + size > maxTotalFileSize
    ? `the files of a job may have at most ${maxTotalFileSize} bytes together`
    : null;
}

import type { RowOf } from '../field/field-meta.ts';
import { count } from '../field/fields.ts';

const mebibyte = 1024 * 1024;

/** How much is kept of the files that an attempt leaves. */
export interface ArtifactLimits {
  /** Bytes of one file. */
  readonly fileLimit: number;
  /** Bytes of all files of one job. */
  readonly filesLimit: number;
  /** How many files of one job. */
  readonly filesCount: number;
}

/** What the owner of a service may decide about the files that are kept, the same for every executor. */
export const artifactLimitOptions = {
  file_limit: count(10 * mebibyte, { description: 'Bytes of one kept file.' }),
  files_limit: count(50 * mebibyte, { description: 'Bytes of all kept files of one job.' }),
  files_count: count(1000, { description: 'Kept files of one job.' }),
};

export function artifactLimits(options: RowOf<typeof artifactLimitOptions>): ArtifactLimits {
  return { fileLimit: options.file_limit, filesLimit: options.files_limit, filesCount: options.files_count };
}

/** What is kept of a job already. */
export interface ArtifactUsage {
  readonly files: number;
  readonly bytes: number;
}

/** Why a file of that size is not kept beside the others; null = it is. */
export function artifactRefusal(size: number, kept: ArtifactUsage, limits: ArtifactLimits): string | null {
  const { fileLimit, filesLimit, filesCount } = limits;
  if (size > fileLimit) return `it has ${size} bytes, more than the ${fileLimit} that a file may have`;
  if (kept.files >= filesCount) return `there may be ${filesCount} files of one job`;
  return kept.bytes + size > filesLimit ? `the files of one job may have ${filesLimit} bytes together` : null;
}

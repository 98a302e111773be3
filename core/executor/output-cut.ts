const mebibyte = 1024 * 1024;

/** The line that takes the place of output beyond the limit. */
export function outputCut(limit: number): string {
  const size = limit % mebibyte === 0 ? `${limit / mebibyte} MiB` : `${limit} bytes`;
  return `[horarium: output cut after ${size}]`;
}

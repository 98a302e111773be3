import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const made = new Set<string>();

/**
 * Creates a folder for temporary files. In a test run it is inside that of the run: it is removed after the tests of the
 * file, and with the run even after Ctrl-C.
 */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `horarium-${name}-`));
  made.add(basename(folder));
  return folder;
}

/** Whether a name in the folder for temporary files is one of these folders. */
export function isTemporaryFolder(name: string): boolean {
  return made.has(name);
}

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a folder for temporary files; in a test run it is inside that of the run, and removed with it even after Ctrl-C. */
export function temporaryFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), `horarium-${name}-`));
}

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runFolder } from '../store/test-postgres.ts';

/** Creates a folder inside that of the test run where there is one, so that it is removed with it even after Ctrl-C. */
export function temporaryFolder(name: string): string {
  return mkdtempSync(join(runFolder() ?? tmpdir(), `horarium-${name}-`));
}

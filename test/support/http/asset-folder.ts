import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../mocha/temporary-folder.ts';

/** Writes files, by their paths, into a temporary folder. */
export function assetFolder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = temporaryFolder('assets');
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

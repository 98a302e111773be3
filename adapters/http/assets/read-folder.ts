import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage, HorariumError } from '@horarium/core';

/** How much the files of one folder may have together, because they stay in memory, in MiB. */
const maxMebibytes = 32;

/**
 * Reads all files of a folder, by their paths in it. Links and names that begin with a dot are left out, so that no file
 * from elsewhere and no forgotten `.env` or `.git` is served.
 * @throws HorariumError `invalid` naming the plugin, where a file cannot be read or they are too large together.
 */
export function readFolder(folder: string, plugin: string): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  let size = 0;
  const read = (parent: string): void => {
    for (const entry of readdirSync(join(folder, parent), { withFileTypes: true })) {
      const name = parent + entry.name;
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory()) read(`${name}/`);
      if (!entry.isFile()) continue;
      size += statSync(join(folder, name)).size;
      if (size > maxMebibytes * 1024 * 1024) throw tooLarge(folder, plugin);
      files.set(name, readFileSync(join(folder, name)));
    }
  };
  try {
    read('');
  } catch (error) {
    if (error instanceof HorariumError) throw error;
    throw new HorariumError(
      'invalid',
      `The plugin ${plugin} has a folder of assets that cannot be read: ${errorMessage(error)}.`,
    );
  }
  return files;
}

function tooLarge(folder: string, plugin: string): HorariumError {
  return new HorariumError(
    'invalid',
    `The plugin ${plugin} has more than ${maxMebibytes} MiB in its folder of assets ${folder}, which would stay in memory.`,
  );
}

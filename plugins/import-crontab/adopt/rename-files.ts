import { accessSync, constants, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { HorariumError } from '@horarium/core/plugin';

export interface FileRename {
  readonly from: string;
  readonly to: string;
}

/** @throws HorariumError `denied` naming the first file that this process may not rename. */
export function assertRenamable(renames: readonly FileRename[]): void {
  for (const { from } of renames) {
    try {
      accessSync(dirname(from), constants.W_OK | constants.X_OK);
    } catch {
      throw new HorariumError('denied', `${from} cannot be renamed by this user. Run this as root.`);
    }
  }
}

/**
 * Renames files, all or none.
 * @returns a function that gives all their former names back.
 * @throws HorariumError `unavailable` naming the one that could not be renamed.
 */
export function renameFiles(renames: readonly FileRename[]): () => void {
  const done: FileRename[] = [];
  const undo = () => {
    for (const { from, to } of done.splice(0).reverse()) renameSync(to, from);
  };
  for (const rename of renames) {
    try {
      renameSync(rename.from, rename.to);
    } catch (error) {
      undo();
      throw new HorariumError(
        'unavailable',
        `${rename.from} could not be renamed: ${(error as Error).message}. Nothing was changed.`,
      );
    }
    done.push(rename);
  }
  return undo;
}

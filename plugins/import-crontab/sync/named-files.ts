import { join, resolve } from 'node:path';
import { HorariumError } from '@horarium/core/plugin';
import { cronPathOf, isReadByCron, refusalOf } from '../adopt/cron-files.ts';
import { adoptedPath, cronFilesIn, isFolder, originalPath, ownerOf, spooledIn, statOf } from '../lines/cron-places.ts';

/** What is to become of the files that a sync names. */
export interface NamedFiles {
  /** Those that are read, `-` among them. */
  readonly read: readonly string[];
  /** The paths of those that are there again, beside their adopted versions. */
  readonly again: readonly string[];
  /** The paths of those that cron leaves out, because others may have written them, and why. */
  readonly refused: ReadonlyMap<string, string>;
}

/**
 * Sorts files by what a sync does with them.
 * @param folder that in which relative paths begin.
 * @param names files, folders and `-`.
 * @throws HorariumError `conflict` for a file that is adopted.
 */
export function sortFiles(folder: string, names: readonly string[]): NamedFiles {
  const again: string[] = [];
  const refused = new Map<string, string>();
  const read = filesIn(folder, names).filter((name) => {
    if (name === '-') return true;
    const path = resolve(folder, name);
    const isThere = statOf(path) !== undefined;
    const isAdopted = statOf(adoptedPath(path)) !== undefined;
    if (isAdopted && !isThere)
      throw new HorariumError('conflict', `${name} is adopted, as ${adoptedPath(path)}: cron:adopt follows it.`);
    if (isAdopted) again.push(path);
    const place = cronPathOf(originalPath(path));
    const refusal = isThere && isReadByCron(place) ? refusalOf(path, ownerOf(place)) : null;
    if (refusal !== null && !isAdopted) refused.set(path, refusal);
    return !isAdopted && refusal === null;
  });
  return { read, again, refused };
}

/** Replaces folders by the files in them that cron reads: those whose names are of letters, digits, `-` and `_`, or of users. */
export function filesIn(folder: string, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const path = resolve(folder, name);
    if (name === '-' || !isFolder(path)) return [name];
    const isSpool = ownerOf(cronPathOf(join(path, 'user'))) !== null;
    return (isSpool ? spooledIn : cronFilesIn)(path).map((file) => join(name, file));
  });
}

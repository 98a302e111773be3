import { realpathSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';

/** The file to execute and its argv[0], or the reason why there is none, with the exit code that a shell would give. */
type Found =
  | { readonly file: string; readonly calledAs: string }
  | { readonly exitCode: 126 | 127; readonly reason: string };

/**
 * Finds the file of an executable. A name without a slash is searched in the absolute folders of `path`. A name with
 * one must be an absolute path: the working directory of a job is empty, so no relative path could exist.
 * @param folders the folders that the file must be in once all links are followed; null = anywhere. The resolved file
 *   is executed, so that links that change meanwhile have no effect.
 */
export function findExecutable(name: string, path: string, folders: readonly string[] | null): Found {
  if (name === '') return { exitCode: 127, reason: 'The executable has no name.' };
  if (name.includes('/') && !isAbsolute(name)) {
    return { exitCode: 126, reason: `The executable ${name} must be a name or an absolute path.` };
  }
  let notExecutable: string | null = null;
  for (const file of candidates(name, path)) {
    const stat = statOf(file);
    if (!stat) continue;
    if (stat.isFile() && (stat.mode & 0o111) !== 0) return restrict(file, name, folders);
    notExecutable ??= `${file} is not ${stat.isFile() ? 'executable' : 'a file'}.`;
  }
  if (notExecutable) return { exitCode: 126, reason: notExecutable };
  // A whole command line in place of its program is the usual mistake.
  const hint = /\s/.test(name) ? ' Put its arguments into the field arguments.' : '';
  return { exitCode: 127, reason: `The executable ${name} was not found.${hint}` };
}

/** The files that a name may stand for: one with a slash is a path, others are searched in the folders of `path`. */
export function candidates(name: string, path: string): string[] {
  if (name.includes('/')) return [name];
  return path
    .split(':')
    .filter(isAbsolute)
    .map((folder) => `${folder}/${name}`);
}

function restrict(file: string, calledAs: string, folders: readonly string[] | null): Found {
  const allowed = folders === null ? file : fileInside(file, folders);
  if (allowed !== null) return { file: allowed, calledAs };
  return { exitCode: 126, reason: `The executable ${file} is not in a folder that jobs may run programs from.` };
}

/** The file that a path leads to once all links are followed; null where it is in none of the folders. */
export function fileInside(path: string, folders: readonly string[]): string | null {
  const file = realPath(path);
  const isInside = folders.map(realPath).some((folder) => folder && file?.startsWith(folder.replace(/\/*$/, '/')));
  return isInside ? file : null;
}

function statOf(file: string) {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    // A part of the path is not a folder, is a loop of links, or denies access.
    return undefined;
  }
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

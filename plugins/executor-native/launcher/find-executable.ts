import { realpathSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';

/** The file to execute and the name it is called by, or why not, with the exit code a shell would give. */
type Found =
  | { readonly file: string; readonly calledAs: string }
  | { readonly exitCode: 126 | 127; readonly reason: string };

/**
 * A name without a slash is looked for in the absolute folders of `path`. With one it must be an absolute path: a
 * job's working directory is new and empty, so there is nothing that a relative path could mean.
 *
 * With `folders`, the file must be in one of them after all links were followed, and the file that was found is the
 * one executed, whatever happens to the links meanwhile.
 */
export function findExecutable(name: string, path: string, folders: readonly string[] | null): Found {
  if (name === '') return { exitCode: 127, reason: 'The executable has no name.' };
  if (name.includes('/') && !isAbsolute(name)) {
    return { exitCode: 126, reason: `The executable ${name} must be a name or an absolute path.` };
  }
  const candidates = name.includes('/')
    ? [name]
    : path
        .split(':')
        .filter(isAbsolute)
        .map((folder) => `${folder}/${name}`);
  let notExecutable: string | null = null;
  for (const file of candidates) {
    const stat = statOf(file);
    if (!stat) continue;
    if (stat.isFile() && (stat.mode & 0o111) !== 0)
      return folders ? restrict(file, name, folders) : { file, calledAs: name };
    notExecutable ??= `${file} is not ${stat.isFile() ? 'executable' : 'a file'}.`;
  }
  if (notExecutable) return { exitCode: 126, reason: notExecutable };
  return { exitCode: 127, reason: `The executable ${name} was not found.` };
}

function restrict(file: string, calledAs: string, folders: readonly string[]): Found {
  const real = realPath(file);
  if (real && folders.map(realPath).some((folder) => folder !== null && real.startsWith(folder.replace(/\/*$/, '/')))) {
    return { file: real, calledAs };
  }
  return { exitCode: 126, reason: `The executable ${file} is not in a folder that jobs may run programs from.` };
}

function statOf(file: string) {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    // A part of the path is not a folder, is a circle of links, or may not be entered: nothing to execute there.
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

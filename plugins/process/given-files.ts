import { chown, mkdir, writeFile } from 'node:fs/promises';
import type { GivenFile } from '@horarium/core/plugin';
import type { LauncherLink } from './launcher-link.ts';
import type { RunCommand } from './messages.ts';
import type { ProgramRun } from './program-run.ts';
import type { Identity } from './users/users.ts';
import { removeFolder } from './working-folder/remove-folder.ts';

/**
 * Writes the files that an attempt is given into a folder of the launcher, and runs the attempt with their paths in place
 * of their marks. The folder is removed with the working directory of the attempt, or with the launcher's own. Never
 * rejects: an attempt whose files cannot be written is refused.
 */
export async function runWithFiles(
  link: LauncherLink,
  number: number,
  attempt: ProgramRun,
  command: RunCommand,
  files: readonly GivenFile[],
): Promise<void> {
  let folder: string | null = null;
  try {
    await link.begun;
    folder = `${link.folder}/given-${number}`;
    await mkdir(folder, { mode: 0o700 });
    const paths = new Map<string, string>();
    for (const file of files) paths.set(file.mark, await writeGiven(folder, file, command.identity));
    if (command.identity) await chown(folder, command.identity.uid, command.identity.gid);
    link.run(number, attempt, { ...withPaths(command, paths), inputs: folder });
    // The launcher did not know the attempt when it was asked to stop.
    if (attempt.stopReason !== null) link.send(number, { command: 'stop', reason: attempt.stopReason });
  } catch (error) {
    attempt.refused(`The files that it is given could not be written: ${(error as Error).message}`);
    if (folder !== null) await removeFolder(folder);
  }
}

/** Each file has a folder of its own, named by its artifact: several may have one name. @returns its path. */
async function writeGiven(folder: string, { mark, content }: GivenFile, identity: Identity | null): Promise<string> {
  const path = `${folder}/${mark.slice(mark.indexOf(':') + 1)}`;
  const parent = path.slice(0, path.lastIndexOf('/'));
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await writeFile(path, content(), { mode: 0o400, flag: 'wx' });
  if (identity) for (const owned of [path, parent]) await chown(owned, identity.uid, identity.gid);
  return path;
}

function withPaths(command: RunCommand, paths: ReadonlyMap<string, string>): RunCommand {
  const replaced = (text: string) => {
    let result = text;
    for (const [mark, path] of paths) result = result.replaceAll(mark, () => path);
    return result;
  };
  const environment = Object.entries(command.environment).map(([key, value]) => [key, replaced(value)]);
  return {
    ...command,
    arguments: command.arguments.map(replaced),
    environment: Object.fromEntries(environment),
  };
}

import { readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { livingProcesses } from '../program/processes.ts';
import { patience } from '../run/patience.ts';
import { runFolder } from '../run/test-run.ts';
import { eventually } from './eventually.ts';
import { isTemporaryFolder } from './temporary-folder.ts';

/** Ends the processes that the tests of a file have started and left. @throws Error naming them. */
export async function endChildren(): Promise<void> {
  await eventually('no process is left', () => children().length === 0, patience).catch(() => {
    const left = children();
    for (const { pid } of left) process.kill(pid, 'SIGKILL');
    throw new Error(`The tests of this file leave running: ${left.map(({ command }) => command).join(', ')}`);
  });
}

/** The living children of this process other than the children of the whole run. */
function children() {
  return livingProcesses().filter(({ parent, command }) => parent === process.pid && !/-keeper\.js /.test(command));
}

/**
 * Removes the temporary files that the tests of a file have left. Launchers of killed services remove theirs once they have
 * ended the jobs.
 * @throws Error naming those that stay.
 */
export async function removeFiles(): Promise<void> {
  const folder = tmpdir();
  const run = runFolder();
  if (run === undefined) return;
  const leftFiles = () =>
    readdirSync(folder).filter((name) => name !== 'node-compile-cache' && !isTemporaryFolder(name));
  await eventually('no file is left', () => leftFiles().length === 0, patience).catch(() => undefined);
  const left = leftFiles();
  rmSync(folder, { recursive: true, maxRetries: 10 });
  process.env['TMPDIR'] = run;
  if (left.length > 0) throw new Error(`The tests of this file leave files: ${left.join(', ')}`);
}

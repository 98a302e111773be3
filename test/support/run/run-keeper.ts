import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { removeLauncherFolders } from '../../../plugins/process/launcher/launcher-folder.ts';
import { launcherOf } from '../../../plugins/process/launcher/register.ts';
import { reap } from '../../../plugins/process/sandbox/survivors.ts';
import type { LivingProcess } from '../program/processes.ts';
import { patience } from './patience.ts';
import { markedProcesses } from './process-mark.ts';
import { removeUnusedClocks } from './unused-clocks.ts';

/**
 * Tidies up after one run of the tests, as a program of its own: `run-keeper.js FOLDER MARK`. When its input ends, because
 * the process that started it ends or is killed, it ends the processes with that mark, removes the folder, and writes as
 * JSON what it had to end or remove.
 */
const folder = process.argv[2] as string;
const mark = Number(process.argv[3]);

/** What the fixtures and the tests of a run share, Node's cache, and what npm keeps in the home folder. */
const shared = /^(?:packages|node-compile-cache|\.npm)$/;

async function end(): Promise<void> {
  const left = await remaining();
  const names = readdirSync(folder).filter((name) => !shared.test(name));
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    for (const { pid } of processes()) send(pid, signal);
    await remaining();
  }
  if (left.length + names.length > 0) await removeLaunchers();
  unmount();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  removeUnusedClocks();
  const report = [
    ...left.map(({ pid, command }) => `process ${pid}: ${command}`),
    ...names.map((name) => `file ${name}`),
  ];
  process.stdout.end(JSON.stringify(report), () => process.exit());
}

/** The processes of the run other than this program and the one that started it. */
function processes(): LivingProcess[] {
  return markedProcesses(mark).filter(({ pid }) => pid !== process.pid && pid !== process.ppid);
}

/** Waits until no process is left, but not for ever. @returns those that are left. */
async function remaining(): Promise<LivingProcess[]> {
  const deadline = performance.now() + patience;
  while (processes().length > 0 && performance.now() < deadline) await pause(50);
  return processes();
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}

/** Removes the cgroups of launchers that were killed, and their folders in memory. */
async function removeLaunchers(): Promise<void> {
  for (const file of globSync(`${folder}/**/horarium-jobs-*/launcher`)) {
    const path = dirname(file);
    const launcher = launcherOf(path);
    if (!launcher) continue;
    await reap({ launcher: basename(path), cgroup: launcher.cgroup });
    await removeLauncherFolders({ folder: path, scratch: launcher.scratch });
  }
}

/** Unmounts what a killed test has mounted in the folder. */
function unmount(): void {
  const file = '/proc/self/mounts';
  const mounts = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const below = mounts.map((line) => line.split(' ')[1] ?? '').filter((path) => path.startsWith(`${folder}/`));
  for (const path of below.reverse()) spawnSync('umount', ['-l', path]);
}

let isEnding = false;
const endOnce = () => {
  if (!isEnding) void end();
  isEnding = true;
};
process.stdout.on('error', () => process.exit());
process.stdin.resume().on('end', endOnce).on('close', endOnce);
process.on('SIGTERM', endOnce);

import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Cleanup } from '../messages.ts';
import { startOutside } from '../sandbox/cgroup/next-cgroup.ts';

export interface CleanupResult {
  readonly succeeded: number;
  /** What those say that failed. */
  readonly problems: readonly string[];
}

const prefix = 'cleanup-';
/** Milliseconds after which a cleanup is killed: an engine may not answer. */
const timeout = 60_000;
/** How often a cleanup runs whose run was killed: an engine may go on to make what it was asked for. */
const rounds = 3;

/**
 * Records a cleanup in the folder of a launcher before its run starts, so that the next launcher runs it where this one is
 * killed.
 * @throws Error with an errno code.
 */
export function recordCleanup(folder: string, run: number, cleanup: Cleanup): void {
  writeFileSync(`${folder}/${prefix}${run}`, JSON.stringify(cleanup), { mode: 0o600, flag: 'wx' });
}

/** Runs the cleanup of a run that has ended, and forgets it where it succeeds. @returns why it failed; null = it did not. */
export async function runCleanup(folder: string, run: number, cleanup: Cleanup, wasKilled: boolean) {
  let problem = await call(cleanup);
  for (let round = 1; wasKilled && round < rounds; round++) problem = await call(cleanup);
  if (problem === null) rmSync(`${folder}/${prefix}${run}`, { force: true });
  return problem;
}

/** Runs all cleanups that the folder of a launcher records. */
export async function runCleanups(folder: string): Promise<CleanupResult> {
  const results = await Promise.all(recordsIn(folder).map(([run, cleanup]) => runCleanup(folder, run, cleanup, true)));
  const problems = results.filter((problem) => problem !== null);
  return { succeeded: results.length - problems.length, problems };
}

function recordsIn(folder: string): [number, Cleanup][] {
  try {
    const names = readdirSync(folder).filter((name) => name.startsWith(prefix));
    return names.map((name) => [
      Number(name.slice(prefix.length)),
      JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')),
    ]);
  } catch {
    // The folder is gone.
    return [];
  }
}

function call({ executable, arguments: words, environment, nothing }: Cleanup): Promise<string | null> {
  const options = { cwd: '/', detached: true, timeout, killSignal: 'SIGKILL' } as const;
  const child = startOutside(() =>
    spawn(executable, words, { ...options, env: environment, stdio: ['ignore', 'ignore', 'pipe'] }),
  );
  let error = '';
  child.stderr.on('data', (bytes: Buffer) => {
    error = (error + bytes).slice(-1000);
  });
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('close', (code, signal) => {
      const isDone = code === 0 || error.toLowerCase().includes(nothing);
      resolve(isDone ? null : error.trim() || `${executable} ended (${signal ?? code})`);
    });
  });
}

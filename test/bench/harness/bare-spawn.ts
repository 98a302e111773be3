import { spawn } from 'node:child_process';

/** Runs a program with `spawn` alone, and discards its output. Resolves with its start time when it has exited. */
export function bareSpawn(program: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [], { stdio: ['ignore', 'pipe', 'pipe'] });
    const started = performance.now();
    child.stdout.resume();
    child.stderr.resume();
    child.on('error', reject);
    child.on('close', () => resolve(started));
  });
}

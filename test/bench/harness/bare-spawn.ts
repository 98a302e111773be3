import { spawn } from 'node:child_process';

/** One program as barely as Node can run it with its output read: nothing is kept. Resolves with when it started. */
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

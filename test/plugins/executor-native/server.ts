import { createInterface } from 'node:readline';
import { attemptOf } from '@horarium/core/contracts';
import type { SandboxName } from '../../../plugins/process/sandbox/sandbox.ts';
import { nativeExecutor } from '../../support/executors/native-executor.ts';

/**
 * A command to the server that this program is: a process that runs native jobs, for tests to kill, pause and starve.
 * It reads a command from each line of stdin, and writes a message on each event of a job to stdout: `{started}`,
 * `{stdout}`, `{ended}`.
 */
export type Command =
  | { readonly run: string; readonly times?: number }
  | { readonly keepAlive: number }
  | { readonly close: true };

const [folder, sandbox] = process.argv.slice(2) as [string, SandboxName?];
const executor = nativeExecutor({ folder, containment: sandbox ?? 'auto' });
const send = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`);

let running = 0;

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line) as Command;
  if ('keepAlive' in command) executor.keepAlive?.(command.keepAlive);
  else if ('close' in command) await executor.close?.();
  else for (let left = command.times ?? 1; left > 0; left--) run(command.run);
}

// Reached when stdin closes, also because the test run was killed: the launcher then kills the jobs that still run.
if (running > 0) process.exit(1);

function run(script: string): void {
  const attempt = attemptOf({ executable: 'sh', arguments: ['-c', script] });
  const { done } = executor.start(attempt, {
    started: ({ pid }) => void send({ started: pid }),
    output: (_stream, bytes) => void send({ stdout: Buffer.from(bytes).toString() }),
  });
  running++;
  void done.then((ended) => {
    running--;
    send({ ended });
  });
}

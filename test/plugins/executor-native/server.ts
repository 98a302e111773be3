import { createInterface } from 'node:readline';
import { attemptOf } from '@horarium/core/contracts';
import { NativeExecutor } from '../../../plugins/executor-native/native-executor.ts';

/**
 * A server of its own for tests to kill, pause and starve. It reads commands, one JSON line each, and writes what it
 * hears of its jobs: `{started}`, `{stdout}`, `{ended}`.
 */
export type Command =
  | { readonly run: string; readonly times?: number }
  | { readonly keepAlive: number }
  | { readonly close: true };

const [folder] = process.argv.slice(2) as [string];
const executor = new NativeExecutor({ folder });
const say = (what: object) => process.stdout.write(`${JSON.stringify(what)}\n`);

let running = 0;

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line) as Command;
  if ('keepAlive' in command) executor.keepAlive?.(command.keepAlive);
  else if ('close' in command) await executor.close?.();
  else for (let left = command.times ?? 1; left > 0; left--) run(command.run);
}

// A test run that was broken off leaves nothing behind.
if (running > 0) process.exit(1);

function run(script: string): void {
  const attempt = attemptOf({ executable: 'sh', arguments: ['-c', script] });
  const { done } = executor.start(attempt, {
    started: ({ pid }) => void say({ started: pid }),
    output: (_stream, bytes) => void say({ stdout: Buffer.from(bytes).toString() }),
  });
  running++;
  void done.then((ended) => {
    running--;
    say({ ended });
  });
}

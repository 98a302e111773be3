import { fork } from 'node:child_process';
import { chmodSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { plainEnvironment } from '../command.ts';
import type { PairsContext } from '../context.ts';
import { endProcessesOf, signalIfAlive } from '../processes.ts';
import type { Side } from '../side.ts';
import type { Task, TaskRequest, TaskResponse, TaskResult } from './program.ts';

const program = new URL('./program.js', import.meta.url);

/** Measures something in a process of its own, with the code of a checkout. @throws Error when it fails. */
export async function runTask<T extends Task>(
  task: T,
  database: TaskRequest['database'],
  { root }: Side,
  { folder, signal }: PairsContext,
): Promise<TaskResult<T>> {
  signal.throwIfAborted();
  const own = mkdtempSync(join(folder, `${task}-`));
  chmodSync(own, 0o711);
  const child = fork(program, {
    // A group of its own, so that the program and all that it starts can be ended together.
    detached: true,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: { ...plainEnvironment(), TMPDIR: own },
  });
  const endGroup = () => signalIfAlive(-(child.pid as number), 'SIGTERM');
  signal.addEventListener('abort', endGroup);
  child.send({ task, root, database } satisfies TaskRequest);
  try {
    return await new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('message', (response: TaskResponse) =>
        'result' in response ? resolve(response.result as TaskResult<T>) : reject(new Error(response.error)),
      );
      child.on('exit', (code) => reject(new Error(`the program that measures it ended with ${code}`)));
    });
  } finally {
    signal.removeEventListener('abort', endGroup);
    await endProcessesOf(own);
  }
}

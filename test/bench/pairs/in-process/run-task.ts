import { fork } from 'node:child_process';
import type { PairsContext } from '../context.ts';
import { ProcessGroup } from '../process-group.ts';
import type { Side } from '../side.ts';
import type { Task, TaskRequest, TaskResponse, TaskResult } from './program.ts';

const program = new URL('./program.js', import.meta.url);
/** A task that takes longer is stopped: a drain waits for ever when its worker is so slow that it loses its lease. */
const maxMinutes = 10;

/** Measures something in a process of its own, with the code of a checkout. @throws Error when it fails. */
export async function runTask<T extends Task>(
  task: T,
  database: TaskRequest['database'],
  { root }: Side,
  { folder, signal }: PairsContext,
): Promise<TaskResult<T>> {
  await using group = new ProcessGroup({ name: task, folder, signal, maxMinutes }, (more) =>
    fork(program, { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'], ...more }),
  );
  const { child } = group;
  child.send({ task, root, database } satisfies TaskRequest);
  return await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('message', (response: TaskResponse) =>
      'result' in response ? resolve(response.result as TaskResult<T>) : reject(new Error(response.error)),
    );
    child.on('exit', (code) =>
      reject(
        new Error(
          group.isLate ? `it took more than ${maxMinutes} minutes` : `the program that measures it ended with ${code}`,
        ),
      ),
    );
  });
}

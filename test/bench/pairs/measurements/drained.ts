import { fork } from 'node:child_process';
import { chmodSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { plainEnvironment } from '../command.ts';
import type { PairsContext } from '../context.ts';
import { endProcessesOf, signalIfAlive } from '../processes.ts';
import type { Side } from '../side.ts';
import type { DrainedCost } from '../statements/drained-program.ts';
import type { Measurement } from './measurement.ts';

const databases = ['SQLite FULL', 'PostgreSQL'] as const;
const program = new URL('../statements/drained-program.js', import.meta.url);

const names = {
  statements: (database: string) => `SQL statements of a drained job, ${database}`,
  kilobytes: 'KB written for a drained job, SQLite FULL',
  processor: (database: string) => `processor time of a drained job, ${database}, µs`,
};

/** What a job costs in process that has a window and a Task, but no program. */
export const drained: Measurement = {
  rows: [
    ...databases.map((database) => ({ name: names.statements(database) })),
    { name: names.kilobytes },
    ...databases.map((database) => ({ name: names.processor(database) })),
  ],
  async run(side, context, add) {
    for (const database of databases) {
      const cost = await costOf(side, context, database);
      add(names.statements(database), cost.statements);
      add(names.processor(database), cost.processor);
      if (database === 'SQLite FULL') add(names.kilobytes, cost.kilobytes);
    }
  },
};

async function costOf({ root }: Side, { folder, signal }: PairsContext, database: string): Promise<DrainedCost> {
  signal.throwIfAborted();
  const own = mkdtempSync(join(folder, 'drained-'));
  chmodSync(own, 0o711);
  const child = fork(program, {
    detached: true,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: { ...plainEnvironment(), TMPDIR: own, HORARIUM_TEST_FSYNC: 'on' },
  });
  const endGroup = () => signalIfAlive(-(child.pid as number), 'SIGTERM');
  signal.addEventListener('abort', endGroup);
  child.send([root, database]);
  try {
    return await new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('message', (message: { readonly cost?: DrainedCost; readonly error?: string }) =>
        message.cost ? resolve(message.cost) : reject(new Error(message.error)),
      );
      child.on('exit', (code) => reject(new Error(`the program that drains jobs ended with ${code}`)));
    });
  } finally {
    signal.removeEventListener('abort', endGroup);
    await endProcessesOf(own);
  }
}

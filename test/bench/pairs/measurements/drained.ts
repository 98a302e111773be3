import { runTask } from '../in-process/run-task.ts';
import type { Measurement } from './measurement.ts';

const databases = ['SQLite FULL', 'PostgreSQL'] as const;
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
      const cost = await runTask('drained', database, side, context);
      add(names.statements(database), cost.statements);
      add(names.processor(database), cost.processor);
      if (database === 'SQLite FULL') add(names.kilobytes, cost.kilobytes);
    }
  },
};

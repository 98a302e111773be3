import { runTask } from '../in-process/run-task.ts';
import type { Measurement } from './measurement.ts';

const name = '1,000 due at once, the last started, SQLite FULL, ms';

/** Templates that fall due at one instant; their jobs start no program. */
export const burst: Measurement = {
  rows: [{ name, target: { max: 200 } }],
  async run(side, context, add) {
    add(name, ...(await runTask('burst', 'SQLite FULL', side, context)));
  },
};

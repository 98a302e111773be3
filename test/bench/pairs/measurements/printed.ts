import { type DatabaseName, databases } from '../../harness/databases.ts';
import type { Target } from '../../results.ts';
import type { Row } from '../table.ts';
import { runBench } from './bench-program.ts';
import type { Measurement } from './measurement.ts';

/** A row whose figure a bench prints under a name. */
interface PrintedRow extends Row {
  readonly figure: RegExp;
}

/** Jobs that run `true`, from POST to the result in the store. */
export const shell = printedBy('shell', [
  ...row((database) => `shell p50 ÷ bare spawn, ${database}`, 'one at a time, p50 › ratio', [2.2, 2, 4]),
  ...row((database) => `200 at once, time ÷ bare, ${database}`, '200 at once › ratio of time', [1.1, 1.1, 1.5]),
  ...row((database) => `shell p50, ${database}, ms`, 'one at a time, p50'),
  ...row(
    (database) => `processor time of a shell job, the service on ${database}, ms`,
    '200 at once › processor time of a job: the server',
  ),
]);

/** Jobs without a program, from due windows to fulfilled Tasks. */
export const drain = printedBy(
  'drain',
  databases.map((database, index) => ({
    name: `in-process drained, ${database}, jobs/s`,
    figure: new RegExp(`^drained on ${database}$`),
    target: { min: [4500, 4500, 2500][index] as number },
  })),
);

/** @param bounds the upper bound for each database. */
function row(name: (database: DatabaseName) => string, figure: string, bounds: readonly number[] = []): PrintedRow[] {
  return databases.map((database, index) => {
    const max = bounds[index];
    const target: { target?: Target } = max === undefined ? {} : { target: { max } };
    return { name: name(database), figure: new RegExp(`^${database}, ${figure}$`), ...target };
  });
}

function printedBy(bench: string, rows: readonly PrintedRow[]): Measurement {
  const find = (figures: ReadonlyMap<string, number>, { figure }: PrintedRow) =>
    [...figures].find(([name]) => figure.test(name))?.[1];
  return {
    rows,
    async run(side, context, add) {
      const { figures, failure } = await runBench(side, bench, context, (printed) =>
        rows.every((each) => find(printed, each) !== undefined),
      );
      for (const each of rows) {
        const value = find(figures, each);
        if (value !== undefined) add(each.name, value);
      }
      if (failure !== null) throw new Error(failure);
    },
  };
}

import { spawn } from 'node:child_process';
import { openDatabase } from '../harness/databases.ts';
import { interleaved, timed } from '../harness/rounds.ts';
import { Service } from '../harness/service.ts';
import { addTemplates, ceilToSecond } from '../harness/templates-due.ts';
import type { Report } from '../results.ts';

export const name = 'start of the service';
const rounds = 9;
const tenMonths = 300 * 86_400_000;

/** Measures from the start of the process to its first response, on a migrated store with few and with many templates. */
export async function run(report: Report): Promise<void> {
  await using empty = await openDatabase('SQLite FULL');
  await using full = await openDatabase('SQLite FULL');
  await using postgres = await openDatabase('PostgreSQL');
  await addTemplates(full.store, { count: 100_000, executor: 'native', at: ceilToSecond(Date.now() + tenMonths) });
  const timeToResponse = (database: typeof empty) => async () => {
    const start = performance.now();
    await using service = await Service.start(database);
    await service.request('GET', '/ping.json');
    return performance.now() - start;
  };
  const medians = await interleaved(rounds, {
    node: () => timed(bareNode),
    sqlite: timeToResponse(empty),
    postgres: timeToResponse(postgres),
    many: timeToResponse(full),
  });
  report.figure('to the first answer, SQLite', medians.sqlite, 'ms', { max: 1000 });
  report.figure('to the first answer, PostgreSQL', medians.postgres, 'ms', { max: 1000 });
  report.figure('to the first answer with 100,000 active RunTemplates, SQLite', medians.many, 'ms', { max: 1500 });
  report.figure('baseline: Node that starts and ends', medians.node, 'ms');
  report.figure('first answer vs. bare Node', medians.sqlite / medians.node, '×');
}

function bareNode(): Promise<void> {
  return new Promise((resolve) => {
    spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }).on('exit', () => resolve());
  });
}

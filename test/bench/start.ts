import { spawn } from 'node:child_process';
import { openDatabase } from './databases.ts';
import type { Report } from './report.ts';
import { inTurns, timed } from './rounds.ts';
import { Service } from './service.ts';
import { addTemplates, wholeSecond } from './templates-due.ts';

export const name = 'start';
const rounds = 9;
const inMonths = 300 * 86_400_000;

/** From starting the program to its first answer, on a migrated store, with few and with many templates in it. */
export async function run(report: Report): Promise<void> {
  await using empty = await openDatabase('SQLite FULL');
  await using full = await openDatabase('SQLite FULL');
  await using postgres = await openDatabase('PostgreSQL');
  await addTemplates(full.store, { count: 100_000, executor: 'native', at: wholeSecond(Date.now() + inMonths) });
  const firstAnswer = (database: typeof empty) => async () => {
    const start = performance.now();
    await using service = await Service.start(database);
    await service.ask('GET', '/ping.json');
    return performance.now() - start;
  };
  const seen = await inTurns(rounds, {
    node: () => timed(bareNode),
    sqlite: firstAnswer(empty),
    postgres: firstAnswer(postgres),
    many: firstAnswer(full),
  });
  report.figure('to the first answer, SQLite', seen.sqlite, 'ms', { most: 1000 });
  report.figure('to the first answer, PostgreSQL', seen.postgres, 'ms', { most: 1000 });
  report.figure('to the first answer with 100,000 active RunTemplates, SQLite', seen.many, 'ms', { most: 1500 });
  report.figure('beside it: Node that starts and ends', seen.node, 'ms');
  report.figure('first answer beside bare Node', seen.sqlite / seen.node, '×');
}

function bareNode(): Promise<void> {
  return new Promise((resolve) => {
    spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }).on('exit', () => resolve());
  });
}

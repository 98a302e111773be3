import { BaselineServer } from '../harness/bare.ts';
import { databases, openDatabase } from '../harness/databases.ts';
import { type LoadResult, percentile, requestText, saturate } from '../harness/http-load.ts';
import { interleavedSamples, median } from '../harness/rounds.ts';
import { Service } from '../harness/service.ts';
import type { Report } from '../results.ts';

export const name = 'POST of an item';
const rounds = 5;
const path = '/api/v1/app/';

/** Apps that are made over a real socket, each with its audit entry in the same transaction. */
export async function run(report: Report): Promise<void> {
  await using open = new AsyncDisposableStack();
  const node = open.use(await BaselineServer.start('node', {}));
  const works: Record<string, () => Promise<LoadResult>> = {};
  const both = (words: string, asked: BaselineServer | Service, next: () => Buffer) => {
    works[`${words}, one at a time`] = () => saturate(asked, next, { connections: 1, seconds: 2 });
    works[`${words}, 20 at once`] = () => saturate(asked, next, { connections: 20, seconds: 2 });
  };
  both('bare node:http', node, newApps(''));
  for (const database of databases) {
    const opened = open.use(await openDatabase(database));
    const service = open.use(await Service.start(opened, { HORARIUM_LOG_LEVEL: 'info' }, 'ignore'));
    await service.signIn();
    both(database, service, newApps(service.authorization.bearer));
  }
  const samples = await interleavedSamples(rounds, works);
  for (const [words, all] of Object.entries(samples)) {
    const single = words.endsWith('one at a time');
    const target = single && words.startsWith('SQLite NORMAL') ? { max: 1 } : undefined;
    const of = (figure: (each: LoadResult) => number) => median(all.map(figure));
    if (single)
      report.figure(
        `${words}, p50`,
        of((each) => percentile(each, 0.5)),
        'ms',
        target,
      );
    else
      report.figure(
        words,
        of((each) => each.rate),
        'requests/s',
      );
    if (single)
      report.figure(
        '   p99',
        of((each) => percentile(each, 0.99)),
        'ms',
      );
    report.figure(
      '   processor time of the server for each',
      of((each) => each.cpu),
      'µs',
    );
  }
}

function newApps(authorization: string): () => Buffer {
  let made = 0;
  return () => {
    const app = { code: `app-${made++}`, name: 'Made by the bench', executable: 'echo', arguments: ['hello'] };
    return requestText('POST', path, { authorization }, JSON.stringify(app));
  };
}

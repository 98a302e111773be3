import { App, newRow, type Store } from '@horarium/core';
import { BaselineServer } from '../harness/bare.ts';
import { openDatabase } from '../harness/databases.ts';
import { type LoadResult, percentile, requestText, saturate } from '../harness/http-load.ts';
import { interleavedSamples, median } from '../harness/rounds.ts';
import { Service } from '../harness/service.ts';
import type { Report } from '../results.ts';

export const name = 'list of 100';
const rounds = 5;
const warmUps = 6;
const inAll = 1000;
const path = '/api/v1/apps.json?limit=100';
const load = { connections: 20, seconds: 2 };

/** The first hundred of a thousand Apps, each with all its fields, counted and with the link to the next page. */
export async function run(report: Report): Promise<void> {
  for (const database of ['SQLite FULL', 'PostgreSQL'] as const) {
    await using opened = await openDatabase(database);
    await addApps(opened.store);
    await using service = await Service.start(opened, { HORARIUM_LOG_LEVEL: 'info' }, 'ignore');
    await service.signIn();
    await using node = await BaselineServer.start('node', await service.request('GET', '/apps.json?limit=100'));
    const request = requestText('GET', path, { authorization: service.authorization.bearer });
    const works = {
      node: () => saturate(node, () => request, load),
      service: () => saturate(service, () => request, load),
    };
    const seen = await interleavedSamples(rounds, works, warmUps);
    const of = (all: readonly LoadResult[], figure: (each: LoadResult) => number) => median(all.map(figure));
    const rate = of(seen.service, (each) => each.rate);
    report.figure(
      `${App.names.plural}, ${database}`,
      rate,
      'lists/s',
      database === 'PostgreSQL' ? undefined : { min: 1500 },
    );
    report.figure(
      '   processor time of the server for each',
      of(seen.service, (each) => each.cpu),
      'µs',
    );
    report.figure(
      '   p99',
      of(seen.service, (each) => percentile(each, 0.99)),
      'ms',
    );
    report.figure('   vs. bare node:http that writes the same', rate / of(seen.node, (each) => each.rate), '×');
  }
}

async function addApps(store: Store): Promise<void> {
  const stamp = { revision: 1, created_at: Date.now(), updated_at: Date.now() };
  const apps = Array.from({ length: inAll }, (_, number) => ({
    ...newRow(App, { uuid: `${number}`, code: `app-${number}`, name: `App ${number}`, executable: 'true' }),
    ...stamp,
  }));
  await store.transaction((tables) => tables.of(App).insert(apps));
}

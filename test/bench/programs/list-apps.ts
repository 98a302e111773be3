import { App, type Store } from '@horarium/core';
import { newRow } from '#core/store/table';
import { BaselineServer } from '../harness/baseline-server.ts';
import { openDatabase } from '../harness/databases.ts';
import { percentile, requestText, saturate } from '../harness/http-load.ts';
import { interleavedSamples, medianOf } from '../harness/rounds.ts';
import { Service } from '../harness/service.ts';
import type { Report } from '../results.ts';

export const name = 'list of 100 Apps';
const rounds = 5;
const warmUps = 6;
const appCount = 1000;
const path = '/api/v1/apps.json?limit=100';
const load = { connections: 20, seconds: 2 };

/** Measures the first page of 100 of 1,000 Apps, with all their fields, the total count and the link to the next page. */
export async function run(report: Report): Promise<void> {
  for (const database of ['SQLite FULL', 'PostgreSQL'] as const) {
    await using opened = await openDatabase(database);
    await addApps(opened.store);
    await using service = await Service.start(opened, { HORARIUM_LOG_LEVEL: 'info' }, 'ignore');
    await service.signIn();
    await using node = await BaselineServer.start('node', await service.request('GET', '/apps.json?limit=100'));
    const request = requestText('GET', path, { authorization: service.authorization.bearer });
    const workloads = {
      node: () => saturate(node, () => request, load),
      service: () => saturate(service, () => request, load),
    };
    const samples = await interleavedSamples(rounds, workloads, warmUps);
    const rate = medianOf(samples.service, (result) => result.rate);
    const cpu = medianOf(samples.service, (result) => result.cpu);
    const p99 = medianOf(samples.service, (result) => percentile(result, 0.99));
    const baseline = medianOf(samples.node, (result) => result.rate);
    report.figure(
      `${App.names.plural}, ${database}`,
      rate,
      'lists/s',
      database === 'PostgreSQL' ? undefined : { min: 1500 },
    );
    report.figure('   processor time of the server per request', cpu, 'µs');
    report.figure('   p99', p99, 'ms');
    report.figure('   vs. bare node:http that writes the same', rate / baseline, '×');
  }
}

async function addApps(store: Store): Promise<void> {
  const stamp = { revision: 1, created_at: Date.now(), updated_at: Date.now() };
  const apps = Array.from({ length: appCount }, (_, number) => ({
    ...newRow(App, { uuid: `${number}`, code: `app-${number}`, name: `App ${number}`, executable: 'true' }),
    ...stamp,
  }));
  await store.transaction((tables) => tables.of(App).insert(apps));
}

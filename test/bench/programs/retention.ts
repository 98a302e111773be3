import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { Job, Task } from '@horarium/core';
import { type BenchDatabase, openDatabase } from '../harness/databases.ts';
import { loadAtRate, percentile, requestText } from '../harness/http-load.ts';
import { Service } from '../harness/service.ts';
import { fillLedger } from '../harness/task-ledger.ts';
import type { Report } from '../results.ts';

export const name = 'retention with 10,000,000 finished jobs';
const templates = 1000;
const windows = 10_000;
const hour = 3_600_000;
const year = 365 * 24 * hour;
const load = { connections: 20, seconds: 30 };
const rate = 100;

/**
 * Measures how many Tasks and jobs a service deletes in a second, each with its audit entry, and how long requests take
 * meanwhile: half of them read a template, half of them save a Topic. It keeps them for a day, so that nearly all are deleted.
 */
export async function run(report: Report): Promise<void> {
  for (const database of ['SQLite FULL', 'PostgreSQL'] as const) {
    await using opened = await openDatabase(database);
    const id = await fillLedger(opened, { templates, windows, at: Date.now() + year / 2 });
    await opened.store.checkpoint?.();
    // The disk goes on writing the ledger for a minute otherwise, and all commits wait behind that.
    execFileSync('sync');
    await using service = await Service.start(opened, { HORARIUM_RETENTION_DAYS: '1', HORARIUM_WORKERS: '1' });
    await service.signIn();
    const headers = { authorization: service.authorization.bearer };
    let sent = 0;
    const read = requestText('GET', `/api/v1/runtemplate/${id}.json`, headers);
    const next = () => {
      sent += 1;
      if (sent % 2 === 0) return read;
      return requestText('POST', '/api/v1/topic/', headers, JSON.stringify({ name: `Topic ${sent}` }));
    };
    await loadAtRate(service, next, rate, { ...load, seconds: 10 });
    const own = await loadAtRate(service, next, rate, load);
    await firstDeletion(opened);
    const [before, start] = [await countRows(opened), performance.now()];
    const meanwhile = await loadAtRate(service, next, rate, load);
    const deleted = before - (await countRows(opened));
    const seconds = (performance.now() - start) / 1000;
    report.figure(`${database}, Tasks and jobs deleted`, deleted / seconds, 'rows/s', { min: 5000 });
    report.figure('   p99 of requests by themselves', percentile(own, 0.99), 'ms');
    report.figure('   p99 meanwhile', percentile(meanwhile, 0.99), 'ms');
    report.figure('   of its own', percentile(meanwhile, 0.99) / percentile(own, 0.99), '×', { max: 2 });
  }
}

/** Waits until the service has begun to delete. */
async function firstDeletion(opened: BenchDatabase): Promise<void> {
  const before = await countRows(opened);
  while ((await countRows(opened)) === before) await pause(1000);
}

function countRows({ store }: BenchDatabase): Promise<number> {
  return store.transaction(async (tables) => (await tables.of(Task).count()) + (await tables.of(Job).count()), {
    readOnly: true,
  });
}

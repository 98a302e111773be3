import { BaselineServer } from '../harness/bare.ts';
import { openDatabase } from '../harness/databases.ts';
import {
  type LoadResult,
  type LoadTarget,
  loadAtRate,
  percentile,
  requestText,
  saturate,
} from '../harness/http-load.ts';
import { interleavedSamples, median } from '../harness/rounds.ts';
import { Service } from '../harness/service.ts';
import type { Report } from '../results.ts';

export const name = 'GET of one item';
const rounds = 5;
const warmUps = 6;
const load = { connections: 50, seconds: 2 };

/** Compares GET of one App, with everything that is on by default, with servers that do less. */
export async function run(report: Report): Promise<void> {
  await using sqlite = await openDatabase('SQLite FULL');
  await using postgres = await openDatabase('PostgreSQL');
  await using service = await Service.start(sqlite, { HORARIUM_LOG_LEVEL: 'info' }, 'ignore');
  await using other = await Service.start(postgres, { HORARIUM_LOG_LEVEL: 'info' }, 'ignore');
  const { path, record } = await makeApp(service);
  await makeApp(other);
  await using node = await BaselineServer.start('node', record);
  await using restify = await BaselineServer.start('restify', record);
  await using equipped = await BaselineServer.start('equipped', record);
  const { bearer, basic } = service.authorization;
  const works = {
    'bare node:http': asking(node, path, bearer),
    'bare restify': asking(restify, path, bearer),
    'restify, equipped': asking(equipped, path, bearer),
    'SQLite, Bearer': asking(service, path, bearer),
    'SQLite, Basic': asking(service, path, basic),
    'PostgreSQL, Bearer': asking(other, path, other.authorization.bearer),
  };
  const seen = await interleavedSamples(rounds, works, warmUps);
  const of = (kind: keyof typeof works, figure: (each: LoadResult) => number) => median(seen[kind].map(figure));
  const rate = (kind: keyof typeof works) => of(kind, (each) => each.rate);
  const cpu = (kind: keyof typeof works) => of(kind, (each) => each.cpu);
  for (const kind of Object.keys(works) as (keyof typeof works)[]) {
    report.figure(kind, rate(kind), 'requests/s');
    report.figure('   processor time of the server per request', cpu(kind), 'µs');
  }
  for (const kind of ['SQLite, Bearer', 'PostgreSQL, Bearer'] as const) {
    const target = kind === 'SQLite, Bearer' ? { min: 0.4 } : undefined;
    report.figure(`${kind}, vs. restify, equipped`, rate(kind) / rate('restify, equipped'), '×', target);
    report.figure('   by processor time', cpu('restify, equipped') / cpu(kind), '×');
    report.figure('   vs. bare restify', rate(kind) / rate('bare restify'), '×');
    report.figure('   vs. bare node:http', rate(kind) / rate('bare node:http'), '×');
  }
  report.figure('Basic vs. Bearer', rate('SQLite, Basic') / rate('SQLite, Bearer'), '×', { min: 0.8 });
  const half = rate('SQLite, Bearer') / 2;
  const waits = await interleavedSamples(rounds, {
    service: () => loadAtRate(service, nextOf(path, bearer), half, load),
    equipped: () => loadAtRate(equipped, nextOf(path, bearer), half, load),
  });
  const p = (part: number, all: readonly LoadResult[]) => median(all.map((each) => percentile(each, part)));
  report.figure('SQLite, Bearer at half of its load, p50', p(0.5, waits.service), 'ms');
  report.figure('SQLite, Bearer at half of its load, p99', p(0.99, waits.service), 'ms', { max: 10 });
  report.figure('   baseline: restify, equipped, at as many requests/s, p99', p(0.99, waits.equipped), 'ms');
}

async function makeApp(service: Service): Promise<{ path: string; record: object }> {
  await service.signIn();
  const app = { code: 'hello', name: 'Hello', executable: 'echo', arguments: ['hello'] };
  const record = await service.request('POST', '/app/', app);
  return { path: `/api/v1/app/${record['id']}.json`, record };
}

function nextOf(path: string, authorization: string): () => Buffer {
  const request = requestText('GET', path, { authorization });
  return () => request;
}

function asking(asked: LoadTarget, path: string, authorization: string): () => Promise<LoadResult> {
  return () => saturate(asked, nextOf(path, authorization), load);
}

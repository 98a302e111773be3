import { BaselineServer } from '../harness/baseline-server.ts';
import { openDatabase } from '../harness/databases.ts';
import {
  type LoadResult,
  type LoadTarget,
  loadAtRate,
  type NextRequest,
  percentile,
  requestText,
  saturate,
} from '../harness/http-load.ts';
import { interleavedSamples, medianOf } from '../harness/rounds.ts';
import { Service } from '../harness/service.ts';
import type { Report } from '../results.ts';

export const name = 'GET of one App';
const rounds = 5;
const warmUps = 6;
const load = { connections: 50, seconds: 2 };

/** Compares GET of one App, with everything that is on by default, with servers that do less. */
export async function run(report: Report): Promise<void> {
  await using sqlite = await openDatabase('SQLite FULL');
  await using postgres = await openDatabase('PostgreSQL');
  await using service = await Service.start(sqlite, { HORARIUM_LOG_LEVEL: 'info' }, 'ignore');
  await using postgresService = await Service.start(postgres, { HORARIUM_LOG_LEVEL: 'info' }, 'ignore');
  const { path, record } = await createApp(service);
  await createApp(postgresService);
  await using node = await BaselineServer.start('node', record);
  await using restify = await BaselineServer.start('restify', record);
  await using equipped = await BaselineServer.start('equipped', record);
  const { bearer, basic } = service.authorization;
  const workloads = {
    'bare node:http': saturating(node, path, bearer),
    'bare restify': saturating(restify, path, bearer),
    'restify, equipped': saturating(equipped, path, bearer),
    'SQLite, Bearer': saturating(service, path, bearer),
    'SQLite, Basic': saturating(service, path, basic),
    'PostgreSQL, Bearer': saturating(postgresService, path, postgresService.authorization.bearer),
  };
  const samples = await interleavedSamples(rounds, workloads, warmUps);
  const rate = (kind: keyof typeof workloads) => medianOf(samples[kind], (result) => result.rate);
  const cpu = (kind: keyof typeof workloads) => medianOf(samples[kind], (result) => result.cpu);
  for (const kind of Object.keys(workloads) as (keyof typeof workloads)[]) {
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
  const atHalfLoad = await interleavedSamples(rounds, {
    service: () => loadAtRate(service, repeatGet(path, bearer), half, load),
    equipped: () => loadAtRate(equipped, repeatGet(path, bearer), half, load),
  });
  const p = (fraction: number, results: readonly LoadResult[]) =>
    medianOf(results, (result) => percentile(result, fraction));
  report.figure('SQLite, Bearer at half of its load, p50', p(0.5, atHalfLoad.service), 'ms');
  report.figure('SQLite, Bearer at half of its load, p99', p(0.99, atHalfLoad.service), 'ms', { max: 10 });
  report.figure('   baseline: restify, equipped, at as many requests/s, p99', p(0.99, atHalfLoad.equipped), 'ms');
}

async function createApp(service: Service): Promise<{ path: string; record: object }> {
  await service.signIn();
  const app = { code: 'hello', name: 'Hello', executable: 'echo', arguments: ['hello'] };
  const record = await service.request('POST', '/app/', app);
  return { path: `/api/v1/app/${record['id']}.json`, record };
}

function repeatGet(path: string, authorization: string): NextRequest {
  const request = requestText('GET', path, { authorization });
  return () => request;
}

function saturating(target: LoadTarget, path: string, authorization: string): () => Promise<LoadResult> {
  return () => saturate(target, repeatGet(path, authorization), load);
}

import { BaselineServer } from '../harness/baseline-server.ts';
import { databases, openDatabase } from '../harness/databases.ts';
import {
  type LoadResult,
  type LoadTarget,
  type NextRequest,
  percentile,
  requestText,
  saturate,
} from '../harness/http-load.ts';
import { interleavedSamples, medianOf } from '../harness/rounds.ts';
import { Service } from '../harness/service.ts';
import type { Report } from '../results.ts';

export const name = 'POST of an App';
const rounds = 5;
const seconds = 2;
const path = '/api/v1/app/';

interface Subject {
  readonly label: string;
  readonly server: LoadTarget;
  readonly next: NextRequest;
}

/**
 * Measures how long creating an App takes one at a time, and how many Apps a second are created over 20 connections.
 * Horarium stores each App with its audit entry in one transaction; the baseline only parses and returns it.
 */
export async function run(report: Report): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const node = resources.use(await BaselineServer.start('node', {}));
  const subjects: Subject[] = [{ label: 'bare node:http', server: node, next: createApps('') }];
  for (const database of databases) {
    const opened = resources.use(await openDatabase(database));
    const service = resources.use(await Service.start(opened, { HORARIUM_LOG_LEVEL: 'info' }, 'ignore'));
    await service.signIn();
    subjects.push({ label: database, server: service, next: createApps(service.authorization.bearer) });
  }
  const workloads: Record<string, () => Promise<LoadResult>> = {};
  for (const { label, server, next } of subjects) {
    workloads[sequential(label)] = () => saturate(server, next, { connections: 1, seconds });
    workloads[concurrent(label)] = () => saturate(server, next, { connections: 20, seconds });
  }
  const samples = await interleavedSamples(rounds, workloads);
  for (const { label } of subjects) {
    reportLatency(report, label, samples[sequential(label)] as LoadResult[]);
    reportThroughput(report, label, samples[concurrent(label)] as LoadResult[]);
  }
}

const sequential = (label: string) => `${label}, one at a time`;
const concurrent = (label: string) => `${label}, 20 at once`;

function reportLatency(report: Report, label: string, results: readonly LoadResult[]): void {
  const latency = (fraction: number) => medianOf(results, (result) => percentile(result, fraction));
  const target = label === 'SQLite NORMAL' ? { max: 1 } : undefined;
  report.figure(`${sequential(label)}, p50`, latency(0.5), 'ms', target);
  report.figure('   p99', latency(0.99), 'ms');
  reportProcessorTime(report, results);
}

function reportThroughput(report: Report, label: string, results: readonly LoadResult[]): void {
  const rate = medianOf(results, (result) => result.rate);
  report.figure(concurrent(label), rate, 'requests/s');
  reportProcessorTime(report, results);
}

function reportProcessorTime(report: Report, results: readonly LoadResult[]): void {
  const cpu = medianOf(results, (result) => result.cpu);
  report.figure('   processor time of the server per request', cpu, 'µs');
}

/** Returns requests that create Apps, each with a code of its own. */
function createApps(authorization: string): NextRequest {
  let count = 0;
  return () => {
    const app = { code: `app-${count++}`, name: 'Created by the bench', executable: 'echo', arguments: ['hello'] };
    return requestText('POST', path, { authorization }, JSON.stringify(app));
  };
}

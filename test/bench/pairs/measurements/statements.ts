import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Service } from '../../harness/service.ts';
import { createShellTemplate } from '../../harness/shell-template.ts';
import type { PairsContext } from '../context.ts';
import type { Side } from '../side.ts';
import { JobProbe } from '../statements/job-probe.ts';
import { countUnits, type TracedStatement, unitsOf, withoutTicks } from '../statements/trace.ts';
import type { AddSamples, Measurement } from './measurement.ts';
import { startService } from './start-service.ts';

const databases = ['SQLite', 'PostgreSQL'] as const;
type Kind = (typeof databases)[number];

interface Amounts {
  /** The jobs that are run one after the other, and counted. */
  readonly jobs: number;
  /** How long the idle service is watched, whose statements are taken off, in milliseconds. */
  readonly idle: number;
}

const names = {
  statements: (kind: Kind) => `SQL statements of a shell job, POST to end, ${kind}`,
  writes: (kind: Kind) => `transactions that write, of a shell job, ${kind}`,
  kilobytes: 'KB written for a shell job, SQLite',
};

/** SQL statements of jobs that run `true`, one after the other, by a service whose drivers are traced. */
export const statements: Measurement = {
  rows: [
    ...databases.map((kind) => ({ name: names.statements(kind), target: { max: 40 } })),
    ...databases.map((kind) => ({ name: names.writes(kind) })),
    { name: names.kilobytes },
  ],
  async run(side, context, add) {
    for (const kind of databases) await countShellJobs(side, context, kind, { jobs: 100, idle: 4000 }, add);
  },
};

/** Runs shell jobs one after the other, and divides by their number what the service did meanwhile. */
export async function countShellJobs(
  side: Side,
  context: PairsContext,
  kind: Kind,
  { jobs, idle }: Amounts,
  add: AddSamples,
): Promise<void> {
  const trace = join(mkdtempSync(join(context.folder, 'trace-')), 'statements');
  writeFileSync(trace, '');
  const database = await context.emptyDatabase(kind === 'SQLite' ? 'SQLite FULL' : kind);
  await using service = await startService(side, database, traceTo(trace, side));
  await service.signIn();
  const runtemplate_id = await createShellTemplate(service);
  await using probe = await JobProbe.open(database);
  const runJobs = async (count: number) => {
    for (let left = count; left > 0; left--) {
      context.signal.throwIfAborted();
      await probe.untilSucceeded((await service.request('POST', '/job/', { runtemplate_id }))['id'] as number);
    }
  };
  // The first job starts the launcher, and the first of each statement is prepared.
  await runJobs(5);
  const start = readingOf(service, trace);
  await runJobs(jobs);
  const end = readingOf(service, trace);
  await pause(idle);
  const later = readingOf(service, trace);
  const units = (from: Reading, to: Reading) => unitsOf(to.trace.slice(from.trace.length));
  const times = (end.at - start.at) / (later.at - end.at);
  const { statements, writes } = countUnits(withoutTicks(units(start, end), units(end, later), times));
  const bytes = end.bytes - start.bytes - times * (later.bytes - end.bytes);
  add(names.statements(kind), statements / jobs);
  add(names.writes(kind), writes / jobs);
  if (kind === 'SQLite') add(names.kilobytes, bytes / jobs / 1000);
}

/** The environment in which a service writes its SQL statements into a file. */
function traceTo(file: string, { root }: Side): Readonly<Record<string, string>> {
  const preload = new URL('../statements/trace-preload.js', import.meta.url).href;
  return { NODE_OPTIONS: `--import=${preload}`, PAIRS_TRACE: file, PAIRS_ROOT: root };
}

interface Reading {
  readonly at: number;
  readonly trace: readonly TracedStatement[];
  /** What the service has written by calls of write(2), to files, sockets and pipes; the trace is taken off. */
  readonly bytes: number;
}

function readingOf({ pid }: Service, file: string): Reading {
  const text = readFileSync(file, 'utf8');
  const trace = text.split('\n').slice(0, -1).map(readLine);
  const [, written] = /^wchar: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8')) ?? [];
  return { at: performance.now(), trace, bytes: Number(written) - Buffer.byteLength(text) };
}

function readLine(line: string): TracedStatement {
  const space = line.indexOf(' ');
  return { connection: Number(line.slice(0, space)), sql: line.slice(space + 1) };
}

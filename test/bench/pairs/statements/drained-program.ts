import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BenchDatabase } from '../../harness/databases.ts';
import type { TemplatesDue } from '../../harness/templates-due.ts';
import { traceStatements } from './trace-statements.ts';

/** What one drained job costs the process that schedules, runs and records it. */
export interface DrainedCost {
  readonly statements: number;
  /** Processor time, in microseconds. */
  readonly processor: number;
  /** What it writes by calls of write(2), to files and to PostgreSQL, in KB. */
  readonly kilobytes: number;
}

interface Checkout {
  drain(database: BenchDatabase, count: number): Promise<number>;
  openDatabase(name: string): Promise<BenchDatabase>;
  addTemplates(store: BenchDatabase['store'], due: TemplatesDue): Promise<unknown>;
}

const warmUp = 1000;
const jobs = 2500;
/** No template is due before; a whole second. */
const nextYear = Math.ceil(Date.now() / 1000) * 1000 + 300 * 86_400_000;

/** Drains jobs by the code of another checkout: first to measure time and bytes, then with its drivers traced. */
async function measure(root: string, name: 'SQLite FULL' | 'PostgreSQL'): Promise<DrainedCost> {
  const checkout = await load(root);
  await using database = await checkout.openDatabase(name);
  await checkout.drain(database, warmUp);
  const adding = await usageOf(() => addTemplates(checkout, database));
  const draining = await usageOf(() => checkout.drain(database, jobs));
  let statements = 0;
  traceStatements(root, () => {
    statements += 1;
  });
  const count = async (work: () => Promise<unknown>) => {
    const before = statements;
    await work();
    return statements - before;
  };
  const added = await count(() => addTemplates(checkout, database));
  const drained = await count(() => checkout.drain(database, jobs));
  return {
    processor: (draining.processor - adding.processor) / jobs,
    kilobytes: (draining.bytes - adding.bytes) / jobs / 1000,
    statements: (drained - added) / jobs,
  };
}

/** Adds as many templates as a drain does before it starts. */
function addTemplates({ addTemplates }: Checkout, { store }: BenchDatabase): Promise<unknown> {
  return addTemplates(store, { count: jobs, executor: 'noop', at: nextYear });
}

async function usageOf(work: () => Promise<unknown>): Promise<{ processor: number; bytes: number }> {
  const written = () => Number(/^wchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
  const before = { usage: process.cpuUsage(), bytes: written() };
  await work();
  const { user, system } = process.cpuUsage(before.usage);
  return { processor: user + system, bytes: written() - before.bytes };
}

/** Imports what the benches of a checkout export; their files have moved. @throws Error when it is not there. */
async function load(root: string): Promise<Checkout> {
  const folder = join(root, 'dist/test/bench');
  const files = [
    ['programs/drain.js', 'drain.js'],
    ['harness/databases.js', 'databases.js'],
    ['harness/templates-due.js', 'templates-due.js'],
  ].map((places) => places.map((place) => join(folder, place)).find(existsSync));
  const modules = await Promise.all(files.map((file) => (file ? import(pathToFileURL(file).href) : {})));
  const checkout = Object.assign({}, ...modules) as Partial<Checkout>;
  for (const name of ['drain', 'openDatabase', 'addTemplates'] as const)
    if (typeof checkout[name] !== 'function') throw new Error(`its benches have no function ${name}`);
  return checkout as Checkout;
}

process.once('message', async ([root, name]: [string, 'SQLite FULL' | 'PostgreSQL']) => {
  try {
    process.send?.({ cost: await measure(root, name) });
  } catch (error) {
    process.send?.({ error: (error as Error).message });
  }
  process.disconnect();
});

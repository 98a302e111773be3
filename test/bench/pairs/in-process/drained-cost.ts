import { readFileSync } from 'node:fs';
import type { BenchDatabase } from '../../harness/databases.ts';
import { traceStatements } from '../statements/trace-statements.ts';
import type { Checkout } from './checkout-benches.ts';

/** What one drained job costs the process that schedules, runs and records it. */
interface DrainedCost {
  readonly statements: number;
  /** Processor time, in microseconds. */
  readonly processor: number;
  /** What it writes by calls of write(2), to files and to PostgreSQL, in KB. */
  readonly kilobytes: number;
}

const warmUp = 1000;
const jobs = 2500;
/** No template is due before; a whole second. */
const inTenMonths = Math.ceil(Date.now() / 1000) * 1000 + 300 * 86_400_000;

/** Drains jobs twice: first to measure time and bytes, then with the drivers traced, which takes time itself. */
export async function costOfDrainedJobs(checkout: Checkout, database: BenchDatabase): Promise<DrainedCost> {
  const drain = () => checkout.drain(database, jobs);
  // A drain adds its templates first, which is no part of the cost.
  const addTemplates = () => checkout.addTemplates(database.store, { count: jobs, executor: 'noop', at: inTenMonths });
  await checkout.drain(database, warmUp);
  const adding = await usageOf(addTemplates);
  const draining = await usageOf(drain);
  let statements = 0;
  traceStatements(checkout.root, () => {
    statements += 1;
  });
  await addTemplates();
  const added = statements;
  await drain();
  return {
    processor: (draining.processor - adding.processor) / jobs,
    kilobytes: (draining.bytes - adding.bytes) / jobs / 1000,
    statements: (statements - 2 * added) / jobs,
  };
}

async function usageOf(work: () => Promise<unknown>): Promise<{ processor: number; bytes: number }> {
  const written = () => Number(/^wchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
  const before = { usage: process.cpuUsage(), bytes: written() };
  await work();
  const { user, system } = process.cpuUsage(before.usage);
  return { processor: user + system, bytes: written() - before.bytes };
}

import { setTimeout as pause } from 'node:timers/promises';
import type { Milliseconds } from '@horarium/core';
import type { BenchDatabase } from '../../harness/databases.ts';
import { ceilToSecond } from '../../harness/templates-due.ts';
import type { Checkout } from './checkout-benches.ts';

const count = 1000;
const rounds = 5;
/** How long before the instant the templates are created. */
const lead: Milliseconds = 1500;

/** How long after the instant at which templates are due the last of their jobs starts, as the bench `burst` measures. */
export async function lastStartsOfBursts(checkout: Checkout, database: BenchDatabase): Promise<Milliseconds[]> {
  const delays: Milliseconds[] = [];
  for (let round = 0; round <= rounds; round++) delays.push(await burst(checkout, database));
  // The first warms up.
  return delays.slice(1);
}

async function burst(checkout: Checkout, { store }: BenchDatabase): Promise<Milliseconds> {
  const executor = new checkout.NoopExecutor();
  const core = checkout.benchCore(store, executor, count);
  await core.start();
  const at = ceilToSecond(Date.now() + lead);
  await checkout.addTemplates(store, { count, executor: 'noop', at });
  const due = performance.now() + (at - Date.now());
  while (executor.started < count) await pause(5);
  await checkout.waitUntilTasksEnded(store);
  await core.stop(0);
  return (executor.lastStartedAt ?? (executor.lastStart as number)) - due;
}

import { RunTemplate, type RunTemplateRow } from '@horarium/core';
import { simulate } from '#core/scheduler/simulate';
import { newRow } from '#core/store/table';
import { median } from '../harness/rounds.ts';
import type { Report } from '../results.ts';

export const name = 'scheduling in virtual time';
const from = Date.UTC(2026, 10, 21);
const to = from + 30 * 86_400_000;
const zones = Intl.supportedValuesOf('timeZone');

/** Runs the real scheduler in virtual time: thirty days of hourly templates, each in another time zone. */
export async function run(report: Report): Promise<void> {
  const durations: number[] = [];
  for (let round = 0; round < 3; round++) durations.push((await simulateTemplates(100)).elapsed);
  report.figure('100 hourly templates for 30 days', median(durations) / 1000, 's', { max: 2 });
  const { elapsed, windows, heap } = await simulateTemplates(1000);
  report.figure(`1,000 hourly templates for 30 days, ${windows} windows`, elapsed / 1000, 's', { max: 60 });
  for (const [part, size] of heap.entries()) report.figure(`   heap after ${part * 25} % of it`, size, 'MiB');
  report.figure('   heap at the end vs. a quarter of the way', (heap.at(-1) as number) / (heap[1] as number), '×', {
    max: 1.2,
  });
}

/** Returns the duration without that of sampling the heap, and the size of the heap at five moments. */
async function simulateTemplates(
  count: number,
): Promise<{ elapsed: number; windows: number; heap: readonly number[] }> {
  const heap = [heapSize()];
  let windows = 0;
  let heapSampling = 0;
  const start = performance.now();
  for await (const run of simulate(templates(count), from, to)) {
    windows += 1;
    if (run.dueAt < from + ((to - from) * heap.length) / 4) continue;
    const sampled = performance.now();
    heap.push(heapSize());
    heapSampling += performance.now() - sampled;
  }
  const elapsed = performance.now() - start - heapSampling;
  heap.push(heapSize());
  return { elapsed, windows, heap };
}

function templates(count: number): RunTemplateRow[] {
  return Array.from({ length: count }, (_, index) => ({
    ...newRow(RunTemplate, {
      name: `t${index}`,
      app_id: 1,
      company_id: 1,
      interval: 'hourly',
      timezone: zones[index % zones.length] as string,
    }),
    id: index + 1,
    revision: 1,
    created_at: from,
    updated_at: from,
  }));
}

/** In MiB, after a full garbage collection. */
function heapSize(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

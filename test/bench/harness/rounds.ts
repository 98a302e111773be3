export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Returns the value that a fraction of all values do not exceed. */
export function quantile(values: readonly number[], fraction: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] as number;
}

/** The median of one figure of the samples. */
export function medianOf<T>(samples: readonly T[], figure: (sample: T) => number): number {
  return median(samples.map(figure));
}

/** Runs the work. @returns its duration in milliseconds. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * Runs each workload once to warm up and then several times, interleaved, so that other load on the machine affects all
 * of them equally.
 * @returns the median result of each.
 */
export async function interleaved<K extends string>(
  rounds: number,
  workloads: Readonly<Record<K, () => Promise<number>>>,
): Promise<Record<K, number>> {
  const samples = await interleavedSamples(rounds, workloads);
  const names = Object.keys(workloads) as K[];
  return Object.fromEntries(names.map((name) => [name, median(samples[name])])) as Record<K, number>;
}

/**
 * Like `interleaved`, but returns every result.
 * @param warmUps how many times each runs before it is measured; V8 needs some 50,000 requests to compile all of their code.
 */
export async function interleavedSamples<K extends string, T>(
  rounds: number,
  workloads: Readonly<Record<K, () => Promise<T>>>,
  warmUps = 1,
): Promise<Record<K, T[]>> {
  const names = Object.keys(workloads) as K[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as T[]])) as Record<K, T[]>;
  for (let round = 0; round < warmUps; round++) for (const name of names) await workloads[name]();
  for (let round = 0; round < rounds; round++) for (const name of names) samples[name].push(await workloads[name]());
  return samples;
}

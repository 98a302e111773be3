export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] as number;
}

/** Runs the work. @returns its duration in milliseconds. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * Runs each function once to warm up and then several times, interleaved, so that other load on the machine affects all
 * of them equally.
 * @returns the median result of each.
 */
export async function interleaved<K extends string>(
  rounds: number,
  works: Readonly<Record<K, () => Promise<number>>>,
): Promise<Record<K, number>> {
  const seen = await interleavedSamples(rounds, works);
  const names = Object.keys(works) as K[];
  return Object.fromEntries(names.map((name) => [name, median(seen[name])])) as Record<K, number>;
}

/**
 * Like `interleaved`, with every result.
 * @param warmUps how often each runs first; V8 needs some 50,000 requests to compile all of their code.
 */
export async function interleavedSamples<K extends string, T>(
  rounds: number,
  works: Readonly<Record<K, () => Promise<T>>>,
  warmUps = 1,
): Promise<Record<K, T[]>> {
  const names = Object.keys(works) as K[];
  const seen = Object.fromEntries(names.map((name) => [name, [] as T[]])) as Record<K, T[]>;
  for (let round = 0; round < warmUps; round++) for (const name of names) await works[name]();
  for (let round = 0; round < rounds; round++) for (const name of names) seen[name].push(await works[name]());
  return seen;
}

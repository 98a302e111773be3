/** The value in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] as number;
}

/** How long the work takes, in milliseconds. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * Runs each of the works once to warm up and then several times, in turns, so that whatever else the machine does
 * hits all of them alike.
 * @returns the median of what each of them returned.
 */
export async function inTurns<K extends string>(
  rounds: number,
  works: Readonly<Record<K, () => Promise<number>>>,
): Promise<Record<K, number>> {
  const seen = await eachInTurns(rounds, works);
  const names = Object.keys(works) as K[];
  return Object.fromEntries(names.map((name) => [name, median(seen[name])])) as Record<K, number>;
}

/**
 * The same, with all that they returned.
 * @param warmUps how often each is run before; V8 needs some 50,000 requests until it has compiled all that they use.
 */
export async function eachInTurns<K extends string, T>(
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

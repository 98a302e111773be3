const bucketSize = 512;

/**
 * Things kept in order, in buckets that stay short, so that adding one among a million moves a few hundred.
 * The comparison must be strict: no two things kept at once are equal.
 */
export class SortedRows<T> {
  readonly #compare: (a: T, b: T) => number;
  readonly #buckets: T[][] = [];

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  add(thing: T): void {
    const last = this.#buckets.at(-1);
    if (!last) {
      this.#buckets.push([thing]);
      return;
    }
    if (this.#compare(last[last.length - 1] as T, thing) < 0) {
      if (last.length < bucketSize) last.push(thing);
      else this.#buckets.push([thing]);
      return;
    }
    const [bucket, at] = this.#position((other) => this.#compare(other, thing) < 0);
    const things = this.#buckets[bucket] as T[];
    things.splice(at, 0, thing);
    if (things.length > bucketSize) this.#buckets.splice(bucket + 1, 0, things.splice(bucketSize / 2));
  }

  remove(thing: T): void {
    const [bucket, at] = this.#position((other) => this.#compare(other, thing) < 0);
    const things = this.#buckets[bucket];
    if (!things || this.#compare(things[at] as T, thing) !== 0) throw new Error('What is to be removed is not there.');
    if (things.length === 1) this.#buckets.splice(bucket, 1);
    else things.splice(at, 1);
  }

  /** The first thing that is not before what is looked for. */
  from(isBefore: (thing: T) => boolean): T | undefined {
    const [bucket, at] = this.#position(isBefore);
    return this.#buckets[bucket]?.[at];
  }

  /** The things that are neither before nor after the range, in order or backwards. */
  *between(isBefore: (thing: T) => boolean, isAfter: (thing: T) => boolean, backwards = false): Generator<T> {
    if (backwards) yield* this.#backwards(isBefore, isAfter);
    else yield* this.#forwards(isBefore, isAfter);
  }

  *#forwards(isBefore: (thing: T) => boolean, isAfter: (thing: T) => boolean): Generator<T> {
    let [bucket, at] = this.#position(isBefore);
    for (let things = this.#buckets[bucket]; things; things = this.#buckets[++bucket], at = 0) {
      for (; at < things.length; at += 1) {
        const thing = things[at] as T;
        if (isAfter(thing)) return;
        yield thing;
      }
    }
  }

  *#backwards(isBefore: (thing: T) => boolean, isAfter: (thing: T) => boolean): Generator<T> {
    let [bucket, at] = this.#position((thing) => !isAfter(thing));
    for (; bucket >= 0; bucket -= 1, at = this.#buckets[bucket]?.length ?? 0) {
      const things = this.#buckets[bucket] ?? [];
      while (at > 0) {
        at -= 1;
        const thing = things[at] as T;
        if (isBefore(thing)) return;
        yield thing;
      }
    }
  }

  /** Where the first thing is that is not before: its bucket and its place there. */
  #position(isBefore: (thing: T) => boolean): [bucket: number, at: number] {
    const bucket = firstNot(this.#buckets.length, (at) => {
      const things = this.#buckets[at] as T[];
      return isBefore(things[things.length - 1] as T);
    });
    const things = this.#buckets[bucket];
    return [bucket, things ? firstNot(things.length, (at) => isBefore(things[at] as T)) : 0];
  }
}

function firstNot(length: number, holds: (at: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

import { globSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { livingProcesses } from '../program/processes.ts';

interface Place {
  /** The files and folders that tests, and the programs that they start, make outside the folder of their run. */
  readonly pattern: string;
  /** The commands of the programs that make them. */
  readonly makers: RegExp;
}

const sharedPlaces: readonly Place[] = [
  { pattern: `${tmpdir()}/horarium-*`, makers: /^job-launcher|\/dist\// },
  { pattern: '/dev/shm/horarium-*', makers: /^job-launcher/ },
  { pattern: '/dev/shm/*faketime_*', makers: /\/dist\// },
  { pattern: '/dev/shm/PostgreSQL.*', makers: /postgres/ },
  { pattern: '/sys/fs/cgroup/**/horarium-*', makers: /^job-launcher/ },
];

/** What is in the places of the machine that all of its programs share. */
export class SharedPlaces {
  readonly #places: readonly Place[];
  readonly #before: ReadonlySet<string>;

  constructor(places: readonly Place[] = sharedPlaces) {
    this.#places = places;
    this.#before = new Set(places.flatMap(({ pattern }) => globSync(pattern)));
  }

  /**
   * Lists what was made since and is left. Where a program runs that makes the like, such as another run of the tests, that is
   * indistinguishable, and so left out; what such a run is about to remove gets some seconds.
   */
  async left(patience = 10_000): Promise<string[]> {
    const end = performance.now() + patience;
    for (;;) {
      const left = this.#leftNow();
      if (left.length === 0 || performance.now() >= end) return left;
      await sleep(Math.min(200, patience));
    }
  }

  #leftNow(): string[] {
    const others = livingProcesses().filter(({ pid }) => pid !== process.pid);
    const commands = others.map(({ command }) => command);
    const judged = this.#places.filter(({ makers }) => !commands.some((command) => makers.test(command)));
    return judged.flatMap(({ pattern }) => globSync(pattern)).filter((path) => !this.#before.has(path));
  }
}

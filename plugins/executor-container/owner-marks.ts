import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from './container-owner.ts';

/**
 * The files by which a later process sees that one before it had containers and did not end as it should: without one, it
 * need not ask an engine that may not even run.
 */
export class OwnerMarks {
  readonly #folder: string;
  readonly #prefix: string;

  /** @param executor the name of the executor. */
  constructor(folder: string, executor: string) {
    this.#folder = folder;
    this.#prefix = `horarium-containers-${executor}-`;
  }

  add(owner: string): void {
    writeFileSync(this.#pathOf(owner), '', { mode: 0o600 });
  }

  remove(owner: string): void {
    rmSync(this.#pathOf(owner), { force: true });
  }

  /** The processes that no longer run. */
  dead(): string[] {
    const marked = readdirSync(this.#folder).filter((name) => name.startsWith(this.#prefix));
    return marked.map((name) => name.slice(this.#prefix.length)).filter((owner) => !isAlive(owner));
  }

  #pathOf(owner: string): string {
    return join(this.#folder, this.#prefix + owner);
  }
}

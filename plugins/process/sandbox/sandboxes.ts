import { BubblewrapDriver } from './namespace/bubblewrap-driver.ts';
import type { Sandbox, SandboxDriver } from './sandbox.ts';
import { isIsolated, isLimited, type SandboxOptions, unrestricted } from './sandbox-options.ts';

/**
 * The sandboxes of a driver, with what it cannot do by itself: `bwrap` isolates jobs, inside a cgroup where the driver makes
 * those. A job that `bwrap` isolates needs no other PID namespace than the one it makes.
 */
export class Sandboxes {
  readonly #driver: SandboxDriver;
  #bubblewrap: BubblewrapDriver | null = null;

  constructor(driver: SandboxDriver) {
    this.#driver = driver;
  }

  get name(): SandboxDriver['name'] {
    return this.#driver.name;
  }

  get cgroup(): string | null {
    return this.#driver.cgroup;
  }

  get isReady(): boolean {
    return this.#driver.isReady;
  }

  /** @throws Error when the sandbox cannot be made, or not with those options. */
  make(invocation: string, options: SandboxOptions = unrestricted): Sandbox {
    const hasCgroup = this.name === 'cgroup';
    if (isLimited(options) && !hasCgroup) throw new Error(`limits need the containment cgroup, and it is ${this.name}`);
    if (!isIsolated(options)) return this.#driver.make(invocation, options);
    this.#bubblewrap ??= new BubblewrapDriver();
    return this.#bubblewrap.make(invocation, options, hasCgroup ? this.#driver.make(invocation, options) : null);
  }

  killAll(): boolean {
    const live = [this.#driver.killAll(), this.#bubblewrap?.killAll()];
    return live.includes(true);
  }

  close(): Promise<void> {
    return this.#driver.close();
  }
}

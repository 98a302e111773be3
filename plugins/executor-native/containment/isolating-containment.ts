import { BubblewrapContainment } from './bubblewrap-containment.ts';
import type { Containment, Enclosure } from './containment.ts';
import { type Isolation, isIsolated, noIsolation } from './isolation.ts';

/**
 * A containment, and `bwrap` for the attempts that are to be isolated as well. Those need no PID namespace besides: they
 * have one by `bwrap`. They do need their cgroup, for the limits of it.
 */
export class IsolatingContainment {
  readonly #containment: Containment;
  #bubblewrap: BubblewrapContainment | null = null;

  constructor(containment: Containment) {
    this.#containment = containment;
  }

  get name(): Containment['name'] {
    return this.#containment.name;
  }

  get cgroup(): string | null {
    return this.#containment.cgroup;
  }

  get isReady(): boolean {
    return this.#containment.isReady;
  }

  /** @throws Error when the enclosure cannot be made. */
  enclose(invocation: string, isolation: Isolation = noIsolation): Enclosure {
    if (!isIsolated(isolation)) return this.#containment.enclose(invocation);
    this.#bubblewrap ??= new BubblewrapContainment();
    const cgroup = this.#containment.name === 'cgroup' ? this.#containment.enclose(invocation) : null;
    return this.#bubblewrap.enclose(invocation, isolation, cgroup);
  }

  killAll(): boolean {
    const live = [this.#containment.killAll(), this.#bubblewrap?.killAll()];
    return live.includes(true);
  }

  close(): Promise<void> {
    return this.#containment.close();
  }
}

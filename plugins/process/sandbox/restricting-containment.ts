import type { Containment, Enclosure } from './containment.ts';
import { isIsolated } from './isolation.ts';
import { isLimited } from './limits.ts';
import { BubblewrapContainment } from './namespace/bubblewrap-containment.ts';
import { noRestrictions, type Restrictions } from './restrictions.ts';

/**
 * A containment that restricts attempts as well: it limits them by their cgroup, and isolates them by `bwrap`. Those that
 * `bwrap` isolates need no other PID namespace than the one it makes.
 */
export class RestrictingContainment {
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

  /** @throws Error when the enclosure cannot be made, or not with those restrictions. */
  enclose(invocation: string, { isolation, limits }: Restrictions = noRestrictions): Enclosure {
    const hasCgroup = this.#containment.name === 'cgroup';
    if (isLimited(limits) && !hasCgroup) throw new Error(`limits need the containment cgroup, and it is ${this.name}`);
    if (!isIsolated(isolation)) return this.#containment.enclose(invocation, limits);
    this.#bubblewrap ??= new BubblewrapContainment();
    return this.#bubblewrap.isolate(isolation, hasCgroup ? this.#containment.enclose(invocation, limits) : null);
  }

  killAll(): boolean {
    const live = [this.#containment.killAll(), this.#bubblewrap?.killAll()];
    return live.includes(true);
  }

  close(): Promise<void> {
    return this.#containment.close();
  }
}

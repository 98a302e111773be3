import { Core, type CoreOptions, type FunctionExecutor, functions, memoryStore, type Store } from '@horarium/core';
import { nodePorts } from '@horarium/core/node';
import { HostClock, VirtualTime } from '../../support/clocks/virtual-time.ts';

/** Programs that embed the core on one store in memory, in virtual time. */
export class EmbeddingWorld {
  readonly time = new VirtualTime(Date.UTC(2026, 10, 21, 5, 59, 30));
  readonly store: Store = memoryStore({ clock: this.time.storeClock });
  readonly ports = nodePorts();

  /** The core of a program that starts now; it shares the store and the vault with the others. */
  core(options: Partial<CoreOptions> = {}): Core {
    const clock = new HostClock(this.time, 0);
    const executors = [this.functions()];
    return new Core({ ...this.ports, store: this.store, clock, timezone: 'UTC', executors, ...options });
  }

  functions(): FunctionExecutor {
    return functions({}, { clock: new HostClock(this.time, 0) });
  }

  /** Lets time pass until the work ends, such as the stop of a core. */
  async during<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    work.then(end, end);
    while (!isOver) await this.time.pass(100);
    return work;
  }
}

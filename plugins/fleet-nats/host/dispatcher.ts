import {
  type Clock,
  errorMessage,
  type Milliseconds,
  type PluginCore,
  readPlacement,
  yieldToEventLoop,
} from '@horarium/core/plugin';
import type { HostBus } from './host-bus.ts';

/** How often agents hear again of what they have not done yet: a message may be lost, or its agent have other labels. */
const repeatAfter: Milliseconds = 1000;
/** How long it waits between two looks at least: jobs may change hundreds of times a second. */
const minPause: Milliseconds = 20;

/** Tells agents of jobs that are due in their pools, and of those that they are to stop, as soon as that is committed. */
export class Dispatcher {
  readonly #core: PluginCore;
  readonly #clock: Clock;
  readonly #log: (sentence: string) => void;
  #waking = new AbortController();

  constructor(core: PluginCore, log: (sentence: string) => void) {
    this.#core = core;
    this.#clock = core.clock;
    this.#log = log;
  }

  /** Looks again what there is to tell. */
  wake(): void {
    this.#waking.abort();
  }

  /** Tells agents until the signal aborts. */
  async run(bus: HostBus, signal: AbortSignal): Promise<void> {
    const wake = () => this.wake();
    const stopListening = this.#core.onJobs(wake);
    signal.addEventListener('abort', wake, { once: true });
    try {
      while (!signal.aborted) {
        // Made before the store is read, so that what is committed meanwhile is looked for at once.
        this.#waking = new AbortController();
        const pause = await this.#dispatch(bus);
        const lookedAt = this.#clock.elapsed();
        if (!signal.aborted) await this.#clock.sleep(pause, this.#waking.signal);
        const early = lookedAt + minPause - this.#clock.elapsed();
        if (early > 0) await this.#clock.sleep(early, signal);
      }
    } finally {
      stopListening();
    }
  }

  /** @returns how long there is nothing to tell, unless jobs change. */
  async #dispatch(bus: HostBus): Promise<Milliseconds> {
    try {
      const { agents, store } = this.#core;
      const { due, untilNext, stops } = await store.read(async (tables) => {
        const { due, next } = await agents.workIn(tables);
        return { due, untilNext: next - (await tables.now()), stops: await agents.stopsIn(tables) };
      });
      for (const pool of new Set(due.map((placement) => readPlacement(placement).pool))) bus.announceWork(pool);
      for (const { agent, jobId: job, claim, reason } of stops) {
        await yieldToEventLoop();
        await bus.tell(agent, { kind: 'stop', job, claim, reason });
      }
      return Math.max(1, Math.min(untilNext, repeatAfter));
    } catch (error) {
      this.#log(`agents do not hear of their jobs for a moment: ${errorMessage(error)}`);
      return repeatAfter;
    }
  }
}

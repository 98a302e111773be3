import type { Milliseconds } from '../loop/clock.ts';
import type { Ticker } from '../loop/loop.ts';
import type { PluginCore } from './plugin-core.ts';

/**
 * Work in the background that a plugin brings. Every process of the service ticks: work that one of them must do alone begins its
 * transaction with `tables.tryLock(NAME)`.
 */
export interface PluginTicker {
  readonly name: string;
  /** The time from the end of a tick to the next one. */
  readonly interval: Milliseconds;
  /** Does a bounded piece of work. An error is logged, and the tick repeated; what else the service does goes on. */
  tick(core: PluginCore): Promise<void>;
}

/** Returns a ticker of the background of a core. @param coreOf returns the core, which is made after its tickers. */
export function tickerOf({ name, interval, tick }: PluginTicker, coreOf: () => PluginCore): Ticker {
  return {
    name,
    tick: async () => {
      await tick(coreOf());
      return interval;
    },
  };
}

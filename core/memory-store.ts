import type { Clock } from './loop/clock.ts';
import { systemClock } from './loop/system-clock.ts';
import type { AnyResource } from './resource/define-resource.ts';
import { allResources, tablesOf } from './resources.ts';
import { MemoryStore } from './store/memory/memory-store.ts';

export interface MemoryStoreOptions {
  /** @default that of this machine */
  readonly clock?: Clock;
  /** Every kind of record, the same as the core's. @default those of the product */
  readonly resources?: readonly AnyResource[];
}

/** Makes a store in this process's memory with the tables of a core; no row outlives the process. */
export function memoryStore({ clock = systemClock, resources = allResources }: MemoryStoreOptions = {}): MemoryStore {
  return new MemoryStore({ clock, tables: tablesOf(resources) });
}

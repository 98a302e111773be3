import type { Configuration } from '@mikro-orm/core';

/** Receives the progress of migrations, in a few words. */
export type ProgressListener = (progress: string) => void;

const listeners = new WeakMap<Configuration, ProgressListener>();

/** Lets a listener hear of the migrations that MikroORM runs under a configuration. */
export function listenToProgress(config: Configuration, listener: ProgressListener): void {
  listeners.set(config, listener);
}

/** Tells the listener of a configuration. */
export function tellProgress(config: Configuration, progress: string): void {
  listeners.get(config)?.(progress);
}

import type { Clock, Milliseconds } from '@horarium/core';
import type { OpenedStore } from '../../adapters/mikro-orm/database.ts';
import { MigratedByNewerVersion } from '../../adapters/mikro-orm/schema/schema.ts';

const interval: Milliseconds = 5000;

/**
 * Waits until a newer version has migrated the store, under which this one must not go on. It refuses to while a worker
 * is at work, but a process without workers has no lease.
 * @returns what it found; null when the signal aborts.
 */
export async function newerVersion(
  { schema }: Pick<OpenedStore, 'schema'>,
  clock: Pick<Clock, 'sleep'>,
  signal: AbortSignal,
): Promise<MigratedByNewerVersion | null> {
  for (;;) {
    await clock.sleep(interval, signal);
    if (signal.aborted) return null;
    try {
      await schema?.pending();
    } catch (error) {
      // What else fails is reported by the ticks, which fail as well.
      if (error instanceof MigratedByNewerVersion) return error;
    }
  }
}

import { HorariumError, type Milliseconds, type Store, type Tables, type TransactionOptions } from '@horarium/core';
import { overrideTables } from '#core/store/override-tables';

/** What goes wrong for a host in one of its transactions. */
export type Fault =
  /** The host dies just before the commit: everything is rolled back. */
  | { readonly kind: 'dies before commit' }
  /** The host dies just after the commit: everything is written, but it never learns so. */
  | { readonly kind: 'dies after commit' }
  /** The connection breaks: rolled back. */
  | { readonly kind: 'fails' }
  /** The connection breaks after the commit: everything is written, but the host sees an error. */
  | { readonly kind: 'fails after commit' }
  /** The answer comes late; the rest of the host continues meanwhile. */
  | { readonly kind: 'slow'; readonly duration: Milliseconds }
  /** The whole host is paused for that long before the transaction, or after its commit. */
  | { readonly kind: 'pauses before' | 'pauses after'; readonly duration: Milliseconds };

/** The host whose transactions fail. */
export interface FaultTarget {
  /** The fault of the next transaction, called once for each; null = none. */
  nextFault(readOnly: boolean): Fault | null;
  isAlive(): boolean;
  die(): void;
  /** Resolves after that time. @param whole the whole host is paused until then. */
  wait(duration: Milliseconds, whole: boolean): Promise<void>;
}

const never = new Promise<never>(() => {});

/** The store as one host sees it: faults of the host and of its connection strike in its transactions. */
export function withFaults(store: Store, target: FaultTarget): Store {
  return {
    kind: store.kind,
    close: async () => {},
    async transaction<T>(work: (tables: Tables) => Promise<T>, options?: TransactionOptions): Promise<T> {
      if (!target.isAlive()) return never;
      const fault = target.nextFault(Boolean(options?.readOnly));
      if (fault?.kind === 'pauses before') await target.wait(fault.duration, true);
      if (fault?.kind === 'dies before commit' || fault?.kind === 'fails')
        return rolledBack(store, target, work, fault);
      const callbacks: (() => void)[] = [];
      const result = await store.transaction((tables) => work(withLateCallbacks(tables, callbacks)), options);
      if (fault?.kind === 'dies after commit') {
        target.die();
        return never;
      }
      if (fault?.kind === 'fails after commit') throw unavailable();
      if (fault?.kind === 'slow') await target.wait(fault.duration, false);
      if (fault?.kind === 'pauses after') await target.wait(fault.duration, true);
      for (const callback of callbacks) callback();
      return result;
    },
  };
}

/** Delays the callbacks of a commit until the host has its answer. */
function withLateCallbacks(tables: Tables, callbacks: (() => void)[]): Tables {
  return overrideTables(tables, { afterCommit: (callback) => callbacks.push(callback) });
}

async function rolledBack<T>(
  store: Store,
  target: FaultTarget,
  work: (tables: Tables) => Promise<T>,
  fault: Fault,
): Promise<T> {
  const rollback = unavailable();
  try {
    return await store.transaction(async (tables) => {
      await work(tables);
      throw rollback;
    });
  } catch (error) {
    if (error !== rollback || fault.kind === 'fails') throw error;
    target.die();
    return never;
  }
}

function unavailable(): HorariumError {
  return new HorariumError('unavailable', 'The connection to the database was lost.');
}

import { HorariumError, type Milliseconds, type Store, type Tables, type TransactionOptions } from '@horarium/core';
import { overrideTables } from '#core/store/override-tables';

/** A fault in one transaction of a host. */
export type Fault =
  /** The host dies before the commit, and the transaction is rolled back. */
  | { readonly kind: 'dies before commit' }
  /** The host dies after the commit, and never gets the acknowledgement. */
  | { readonly kind: 'dies after commit' }
  /** The connection breaks before the commit, and the transaction is rolled back. */
  | { readonly kind: 'fails' }
  /** The connection breaks after the commit, and the host gets an error. */
  | { readonly kind: 'fails after commit' }
  /** The acknowledgement is delayed, while the rest of the host continues. */
  | { readonly kind: 'slow'; readonly duration: Milliseconds }
  /** The whole host is paused before the transaction, or after its commit. */
  | { readonly kind: 'pauses before' | 'pauses after'; readonly duration: Milliseconds };

/** The host whose transactions have faults. */
export interface FaultTarget {
  /** Draws the fault of the next transaction; null = none. */
  nextFault(readOnly: boolean): Fault | null;
  isAlive(): boolean;
  die(): void;
  /** Resolves after that time. @param pausesHost whether the whole host is paused until then. */
  wait(duration: Milliseconds, pausesHost: boolean): Promise<void>;
}

const never = new Promise<never>(() => {});

/** Wraps the store for one host, whose transactions have the faults that the target draws. */
export function withFaults(store: Store, target: FaultTarget): Store {
  return {
    kind: store.kind,
    close: async () => {},
    async transaction<T>(work: (tables: Tables) => Promise<T>, options?: TransactionOptions): Promise<T> {
      if (!target.isAlive()) return never;
      const fault = target.nextFault(Boolean(options?.readOnly));
      if (fault?.kind === 'pauses before') await target.wait(fault.duration, true);
      if (fault?.kind === 'dies before commit' || fault?.kind === 'fails') return rollBack(store, target, work, fault);
      const callbacks: (() => void)[] = [];
      const result = await store
        .transaction((tables) => work(withLateCallbacks(tables, callbacks)), options)
        .catch((error) => (target.isAlive() ? Promise.reject(error) : never));
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

/** Delays the callbacks of a commit until the host gets the acknowledgement. */
function withLateCallbacks(tables: Tables, callbacks: (() => void)[]): Tables {
  return overrideTables(tables, { afterCommit: (callback) => callbacks.push(callback) });
}

async function rollBack<T>(
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
    if (fault.kind === 'dies before commit') target.die();
    if (target.isAlive()) throw error;
    return never;
  }
}

function unavailable(): HorariumError {
  return new HorariumError('unavailable', 'The connection to the database was lost.');
}

import { HorariumError, type Milliseconds, type Store, type Tables, type TransactionOptions } from '@horarium/core';
import { withTables } from '#core/store/with-tables';

/** What happens to a host around one of its transactions. */
export type Fault =
  /** It dies just before the commit: everything is rolled back. */
  | { readonly kind: 'dies before commit' }
  /** It dies just after the commit: everything is written, and nobody hears of it. */
  | { readonly kind: 'dies after commit' }
  /** The connection breaks: rolled back. */
  | { readonly kind: 'fails' }
  /** The connection breaks after the commit: written, though it looks like a failure. */
  | { readonly kind: 'fails after commit' }
  /** The answer comes late; the rest of the host goes on meanwhile. */
  | { readonly kind: 'slow'; readonly duration: Milliseconds }
  /** The whole host stops for that long before it begins, or after it was committed. */
  | { readonly kind: 'pauses before' | 'pauses after'; readonly duration: Milliseconds };

export interface Victim {
  /** What is to happen to the next transaction; asked once for each. */
  nextFault(readOnly: boolean): Fault | null;
  isAlive(): boolean;
  die(): void;
  /** Resolves that much later. `whole`: the whole host stands still until then. */
  wait(duration: Milliseconds, whole: boolean): Promise<void>;
}

const never = new Promise<never>(() => {});

/** The store as one host sees it: its transactions are where the host's misfortunes happen. */
export function withFaults(store: Store, victim: Victim): Store {
  return {
    kind: store.kind,
    close: async () => {},
    async transaction<T>(work: (tables: Tables) => Promise<T>, options?: TransactionOptions): Promise<T> {
      if (!victim.isAlive()) return never;
      const fault = victim.nextFault(Boolean(options?.readOnly));
      if (fault?.kind === 'pauses before') await victim.wait(fault.duration, true);
      if (fault?.kind === 'dies before commit' || fault?.kind === 'fails')
        return rolledBack(store, victim, work, fault);
      const callbacks: (() => void)[] = [];
      const result = await store.transaction((tables) => work(withLateCallbacks(tables, callbacks)), options);
      if (fault?.kind === 'dies after commit') {
        victim.die();
        return never;
      }
      if (fault?.kind === 'fails after commit') throw unavailable();
      if (fault?.kind === 'slow') await victim.wait(fault.duration, false);
      if (fault?.kind === 'pauses after') await victim.wait(fault.duration, true);
      for (const callback of callbacks) callback();
      return result;
    },
  };
}

/** Nobody hears of a commit before its answer has come. */
function withLateCallbacks(tables: Tables, callbacks: (() => void)[]): Tables {
  return withTables(tables, { afterCommit: (callback) => callbacks.push(callback) });
}

async function rolledBack<T>(
  store: Store,
  victim: Victim,
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
    victim.die();
    return never;
  }
}

function unavailable(): HorariumError {
  return new HorariumError('unavailable', 'The connection to the database was lost.');
}

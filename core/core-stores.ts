import { AuditedStore, type Signer } from './audit/audited-store.ts';
import { ClockWatch } from './clock/clock-watch.ts';
import type { CompleteOptions } from './core-options.ts';
import { ChangeQuota } from './quota/change-quota.ts';
import type { AnyResource } from './resource/define-resource.ts';
import { productObservers, rotationRules } from './resources.ts';
import { KeyManager } from './secret/key-manager.ts';
import { serviceStore } from './service-time/service-store.ts';
import { QueryCache } from './store/query-cache.ts';
import type { Store } from './store/store.ts';

/** What a transaction calls after its commit if it has made work, and what a step of the clock calls. */
export interface TransactionSignals {
  onEvents(): void;
  onDeliveries(): void;
  onClockStep(): void;
}

export type CoreStores = ReturnType<typeof coreStores>;

/** Makes the stores of a core: one for requests, and one for the background on connections of its own. */
export function coreStores(options: CompleteOptions, resources: readonly AnyResource[], signals: TransactionSignals) {
  const { store, clock, calendarRules, host, vault, events } = options;
  const { background = store } = store;
  const { onEvents, onDeliveries, onClockStep: wake } = signals;
  const signer: Signer = (tables) => keyManager.auditKeyIn(tables);
  const onChange = events.clockChanged;
  const clockWatch = new ClockWatch({ store: background, clock, calendarRules, signer, host, wake, onChange });
  const cache = new QueryCache();
  const over = (each: Store) => serviceStore(each, clockWatch.time, cache);
  const [requestStore, backgroundStore] = [over(store), over(background)];
  const keyManager = new KeyManager({ store: backgroundStore, vault, ...rotationRules(resources) });
  const quota = new ChangeQuota(options.maxChangesPerDay);
  const observers = productObservers({ onEvents, failures: events, outbox: { ...options, onDeliveries } });
  const requests = new AuditedStore(requestStore, signer, { quota, observers });
  return {
    clockWatch,
    keyManager,
    signer,
    quota,
    /** Without the audit, for reads and bookkeeping. */
    requestStore,
    backgroundStore,
    requests,
    background: requests.over(backgroundStore),
    /** Returns a store whose transactions take part in one of the embedding program. */
    joined: (each: Store) => requests.over(over(each)),
  };
}

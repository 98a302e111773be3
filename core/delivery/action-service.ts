import type { AnyAction } from '../action/action.ts';
import type { ActionLists } from '../action/action-lists.ts';
import type { AuditedStore } from '../audit/audited-store.ts';
import type { Clock, Milliseconds } from '../loop/clock.ts';
import type { RecordsContext } from '../records/records.ts';
import type { Vault } from '../secret/vault.ts';
import { deactivateTemplate } from './deactivate-template.ts';
import { Deliveries } from './deliveries.ts';
import type { FailedDelivery } from './delivery.ts';
import { DeliveryRecords } from './delivery-records.ts';

export interface ActionServiceOptions {
  readonly records: RecordsContext;
  /** The store of the background. */
  readonly background: AuditedStore;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly poll: Milliseconds;
  readonly actions: { get(name: string): AnyAction | undefined };
  readonly serviceActions: ActionLists;
  /** Returns where people read about a record, by its path: `task/12`; null = nowhere. */
  recordUrl(path: string): string | null;
  /** Called after deliveries became due, or when the ticker is to tick. */
  onDeliveries(): void;
  readonly events: { deliveryFailed(delivery: FailedDelivery, error: string): void };
}

/** What a core does with actions: the records of their deliveries, and the work in the background. */
export class ActionService {
  readonly deliveries: DeliveryRecords;
  readonly ticker: Deliveries;

  constructor(options: ActionServiceOptions) {
    const { records, background: store, clock, vault, poll, actions, serviceActions, onDeliveries, events } = options;
    this.deliveries = new DeliveryRecords({ records, onDeliveries });
    this.ticker = new Deliveries({
      store,
      clock,
      vault,
      poll,
      actions,
      serviceActions,
      recordUrl: (path) => options.recordUrl(path),
      wake: onDeliveries,
      deactivateTemplate: (event) => deactivateTemplate(records, event),
      onFailed: (delivery, error) => events.deliveryFailed(delivery, error),
    });
  }
}

import { conflict } from '../errors.ts';
import { Records, type RecordsContext } from '../records/records.ts';
import { authorize, readVisible } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { Resource } from '../resource/define-resource.ts';
import type { Tables } from '../store/store.ts';
import { Delivery, type DeliveryRow } from './delivery.ts';

export interface DeliveryRecordsOptions {
  readonly records: RecordsContext;
  /** Called after a delivery became due. */
  onDeliveries(): void;
}

/** The records of deliveries, and their retry by hand. */
export class DeliveryRecords extends Records<DeliveryRow> {
  readonly #options: DeliveryRecordsOptions;

  constructor(options: DeliveryRecordsOptions) {
    super(options.records.findResource(Delivery.name) as Resource<DeliveryRow>, options.records);
    this.#options = options;
  }

  /**
   * Lets a delivery be tried again at once, with its back-off from the beginning; also one that arrived. The receiver gets
   * the same idempotency id.
   * @throws HorariumError `not_found`, `denied`, or `conflict` for one whose notice is part of another delivery.
   */
  retry(actor: Actor, id: number): Promise<DeliveryRow> {
    return this.#options.records.store.transaction(actor, (tables) => this.retryIn(tables, actor, id));
  }

  /** Retries like `retry`, in the caller's transaction. */
  async retryIn(tables: Tables, actor: Actor, id: number): Promise<DeliveryRow> {
    const row = await readVisible(tables, actor, this.resource, id, 'wait');
    await authorize(tables, actor, this.resource, row, row);
    if (row.digest_id !== null) throw conflict(`Delivery ${id} is told by delivery ${row.digest_id}: retry that one.`);
    const set = { state: 'pending', tries: 0, next_at: await tables.now(), delivered_at: null } as const;
    await tables.of(Delivery).update([{ row, set }]);
    if (row.collected)
      await tables.of(Delivery).updateWhere([['digest_id', '=', id]], { state: 'pending', delivered_at: null });
    tables.afterCommit(() => this.#options.onDeliveries());
    return { ...row, ...set };
  }
}

import type { AuditedStore } from '../audit/audited-store.ts';
import { type FieldError, HorariumError } from '../errors.ts';
import { trustedActor } from '../resource/actor.ts';
import type { Field } from '../resource/fields.ts';
import { readField, throwIfInvalid } from '../resource/input.ts';
import { Job } from '../schedule/job.ts';
import type { Digests } from '../user/digests.ts';
import { isOver, lockLease, renewLease } from './external-lease.ts';

export interface HeartbeatReport {
  /** 0 to 100. */
  readonly progress?: number | undefined;
  readonly message?: string | undefined;
}

/** Signs of life that running jobs give of themselves, with the key that only they were told. */
export class Heartbeats {
  readonly #store: AuditedStore;
  readonly #digests: Digests;

  constructor(store: AuditedStore, digests: Digests) {
    this.#store = store;
    this.#digests = digests;
  }

  /**
   * A sign of life is no change of the record, so it is not audited. It renews the lease of an attempt outside.
   * @throws HorariumError `not_found` when no running job has that id and key, in the same words for both.
   */
  async note(id: number, key: string, { progress, message }: HeartbeatReport): Promise<void> {
    const errors: FieldError[] = [];
    if (message !== undefined) readField('message', Job.fields['message'] as Field, message, errors);
    throwIfInvalid('The heartbeat', errors);
    const where = [
      ['id', '=', id],
      ['state', '=', 'running'],
      ['ping_key_hash', '=', this.#digests.sha256(key)],
    ] as const;
    const report = { ...(progress !== undefined && { progress }), ...(message !== undefined && { message }) };
    await this.#store.transaction(trustedActor('heartbeat'), async (tables) => {
      const now = await tables.now();
      const lease = await lockLease(tables, id);
      const set = { heartbeat_at: now, ...report };
      if ((lease && isOver(lease, now)) || (await tables.of(Job).updateWhere(where, set)) === 0) throw noSuchJob(id);
      if (lease) await renewLease(tables, lease, now);
    });
  }
}

function noSuchJob(id: number): HorariumError {
  return new HorariumError('not_found', `There is no running Job ${id} with this key.`);
}

import type { AuditedStore } from '../audit/audited-store.ts';
import { type FieldError, HorariumError } from '../errors.ts';
import { maxMessage } from '../executor/attempt-progress.ts';
import type { Field } from '../field/field-meta.ts';
import { redactOrMask, redactorOf } from '../job/given-secrets.ts';
import { Job, type JobRow } from '../job/job.ts';
import { readField, throwIfInvalid } from '../records/input.ts';
import type { Redactor } from '../redaction/redactor.ts';
import { LruCache } from '../registry/lru-cache.ts';
import { trustedActor } from '../resource/actor.ts';
import type { Vault } from '../secret/vault.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import type { Digests } from '../user/digests.ts';
import { isOver, lockLease, renewLease } from './external-lease.ts';

/** How many attempts' redactors are kept for their next messages. */
const maxRedactors = 8;

/** The services that record a heartbeat. */
export interface HeartbeatContext {
  readonly store: AuditedStore;
  readonly vault: Vault;
  readonly digests: Pick<Digests, 'sha256'>;
}

export interface Heartbeat {
  /** 0 to 100. */
  readonly progress?: number | undefined;
  readonly message?: string | undefined;
}

/** Records heartbeats of running jobs, authenticated by the key in the job's ping URL. */
export class Heartbeats {
  readonly #context: HeartbeatContext;
  /** By the hash of the attempt's key, because building one takes longer than redacting a message. */
  readonly #redactors = new LruCache<Redactor>(maxRedactors);

  constructor(context: HeartbeatContext) {
    this.#context = context;
  }

  /**
   * Records a heartbeat, and renews the lease of an external attempt. It is not a change of the record, so it is
   * not audited.
   * @throws HorariumError `invalid`, or `not_found` when no running job has that id and key, whichever is wrong.
   */
  async record(id: number, key: string, { progress, message }: Heartbeat): Promise<void> {
    const errors: FieldError[] = [];
    for (const [name, value] of Object.entries({ progress, message }))
      if (value !== undefined) readField(name, Job.fields[name] as Field, value, errors);
    throwIfInvalid('The heartbeat', errors);
    const { store, digests } = this.#context;
    const where: Where<JobRow> = [
      ['id', '=', id],
      ['state', '=', 'running'],
      ['ping_key_hash', '=', digests.sha256(key)],
    ];
    await store.transaction(trustedActor('heartbeat'), async (tables) => {
      const now = await tables.now();
      const lease = await lockLease(tables, id);
      const set = {
        heartbeat_at: now,
        ...(progress !== undefined && { progress }),
        ...(message !== undefined && { message: await this.#redact(tables, where, key, message) }),
      };
      if ((lease && isOver(lease, now)) || (await tables.of(Job).updateWhere(where, set)) === 0) throw noSuchJob(id);
      if (lease) await renewLease(tables, lease, now);
    });
  }

  /** Masks what the attempt was given in a message. */
  async #redact(tables: Tables, where: Where<JobRow>, key: string, message: string): Promise<string> {
    const [job] = message === '' ? [] : await tables.of(Job).find({ where });
    if (!job) return message;
    const attempt = job.ping_key_hash as string;
    const redactor = this.#redactors.get(attempt) ?? redactorOf(this.#context.vault, job, key);
    if (redactor) this.#redactors.set(attempt, redactor);
    // Masks may make a message longer than the column.
    return (await redactOrMask(redactor, message)).slice(0, maxMessage);
  }
}

function noSuchJob(id: number): HorariumError {
  return new HorariumError('not_found', `There is no running Job ${id} with this key.`);
}

import { mixed } from 'yup';
import { HorariumError, TooManyRequests } from '../errors.ts';
import { binary, count, instant, integer, text } from '../field/fields.ts';
import { anything, json, optionalJson } from '../field/structured.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import { type ChangeQuota, WrittenBytes } from '../quota/change-quota.ts';
import { authorize, companyOf } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { ResourceFinder } from '../resource/references.ts';
import type { Hmac } from '../secret/vault.ts';
import { deleteBatch } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { defineBookkeeping, newRow, type RowOfTable } from '../store/table.ts';
import { day } from '../time/duration.ts';

/** The response to a change that was requested under an idempotency key. */
export const IdempotencyRecord = defineBookkeeping({
  name: 'IdempotencyRecord',
  fields: {
    /** SHA-256 of the user, the method, the path and the idempotency key. */
    scope: text(64, { unique: true }).required(),
    /** HMAC-SHA256 of the request's fingerprint; another request under the same key is a conflict. */
    fingerprint_hmac: text(64).required(),
    user_id: integer(),
    at: instant({ indexed: true }).required(),
    status: count(200),
    headers: json(anything, {}),
    body: binary(),
    /** The written record, with the fields that permissions depend on; null where the request wrote none. */
    subject: optionalJson(mixed<WrittenRecord>().required()),
  },
  indexes: [['user_id', 'at']],
});
type IdempotencyRecordRow = RowOfTable<typeof IdempotencyRecord>;

/** A request with an idempotency key: it must not be carried out twice. */
export interface IdempotentRequest {
  /** SHA-256 of the user, the method, the path and the idempotency key. */
  readonly scope: string;
  /** SHA-256 of the query, the content type and the body. */
  readonly fingerprint: string;
}

/** A response that is replayed to a repeated request. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Uint8Array | null;
}

/** The record that a request wrote. The response is replayed only to an actor who may still write it. */
export interface WrittenRecord {
  readonly resource: string;
  readonly row: Readonly<Record<string, unknown>>;
  readonly created: boolean;
}

export interface IdempotencyKeysContext {
  readonly findResource: ResourceFinder;
  /**
   * Returns the HMAC that signs the stored digests. From a plain digest of a request with a password, a reader of the
   * store could guess the password by brute force.
   */
  signer(tables: Tables): Promise<Hmac>;
  /** Limits the responses that are stored. @default no limit */
  readonly quota?: ChangeQuota;
}

/** Thrown when the request was carried out meanwhile: it carries the stored response, and the transaction is rolled back. */
export class ReplayedResponse extends Error {
  readonly response: StoredResponse;

  constructor(response: StoredResponse) {
    super('This request was answered before.');
    this.name = 'ReplayedResponse';
    this.response = response;
  }
}

/** The key cannot be used for this request: it is in flight, or was used for another one. */
class IdempotencyConflict extends HorariumError {
  constructor(message: string) {
    super('conflict', message);
    this.name = 'IdempotencyConflict';
  }
}

/** The error of a request while an equal one is in flight, in this process or on another host. */
export function requestInFlight(): IdempotencyConflict {
  return new IdempotencyConflict('A request with this Idempotency-Key is still in flight.');
}

const lifetime: Milliseconds = day;
/** How many keys one user may use within the lifetime of keys. */
const maxKeys = 10_000;
const pruneBatch = 500;

/**
 * Carries out a request with an idempotency key once, and replays its response when the request is repeated. A channel
 * calls `replay` before it does anything, and `claim` and `store` before and after the change, in its own transaction, so
 * that the response is stored if and only if the change is committed; errors are never stored. Keys live for a day.
 */
export class IdempotencyKeys {
  readonly #context: IdempotencyKeysContext;

  constructor(context: IdempotencyKeysContext) {
    this.#context = context;
  }

  /**
   * Reads the stored response of a request that was carried out before, and writes nothing.
   * @returns null when it was not carried out, or its key has expired.
   * @throws IdempotencyConflict when the key was used for another request; HorariumError `denied` when the actor may no
   * longer get the response.
   */
  async replay(
    tables: Tables,
    actor: Actor,
    { scope, fingerprint }: IdempotentRequest,
  ): Promise<StoredResponse | null> {
    const row = await this.#find(tables, scope);
    return row && !isExpired(row, await tables.now()) ? this.#responseOf(tables, actor, row, fingerprint) : null;
  }

  /**
   * Claims the key, as the first step in the transaction of the change.
   * @throws ReplayedResponse when the request was carried out since `replay`; IdempotencyConflict when it is in flight;
   * TooManyRequests when the user has too many live keys; and what `replay` throws.
   */
  async claim(tables: Tables, actor: Actor, { scope, fingerprint }: IdempotentRequest): Promise<void> {
    if (!(await tables.tryLock(`idempotency ${scope}`))) throw requestInFlight();
    const row = await this.#find(tables, scope);
    if (row && !isExpired(row, await tables.now()))
      throw new ReplayedResponse(await this.#responseOf(tables, actor, row, fingerprint));
    if (row) await tables.of(IdempotencyRecord).delete([['id', '=', row.id]]);
    await this.#assertBelowLimit(tables, actor);
  }

  /**
   * Stores the response, in the transaction of the change. It counts as a change of the written record's company.
   * @throws TooManyRequests when nothing more of that may be changed today.
   */
  async store(
    tables: Tables,
    actor: Actor,
    { scope, fingerprint }: IdempotentRequest,
    response: StoredResponse,
    writtenRecord: WrittenRecord | null,
  ): Promise<void> {
    const row = newRow(IdempotencyRecord, {
      scope,
      fingerprint_hmac: await this.#sign(tables, fingerprint),
      user_id: actor.userId,
      ...response,
      at: await tables.now(),
      subject: writtenRecord && { ...writtenRecord, row: this.#permissionFields(writtenRecord) },
    });
    await tables.of(IdempotencyRecord).insertAbsent([row], ['scope']);
    const { quota, findResource } = this.#context;
    if (!quota?.limits(actor)) return;
    const written = new WrittenBytes();
    written.add(writtenRecord && companyOf(findResource(writtenRecord.resource), writtenRecord.row), row);
    await quota.count(tables, actor, written);
  }

  /** Deletes responses older than a day. @returns whether there are more. */
  async prune(tables: Tables): Promise<boolean> {
    const expired = [['at', '<=', (await tables.now()) - lifetime]] as const;
    return deleteBatch(tables.of(IdempotencyRecord), expired, pruneBatch);
  }

  async #find(tables: Tables, scope: string): Promise<IdempotencyRecordRow | undefined> {
    const [row] = await tables.of(IdempotencyRecord).find({ where: [['scope', '=', scope]], limit: 1 });
    return row;
  }

  async #responseOf(
    tables: Tables,
    actor: Actor,
    row: IdempotencyRecordRow,
    fingerprint: string,
  ): Promise<StoredResponse> {
    if (row.fingerprint_hmac !== (await this.#sign(tables, fingerprint)))
      throw new IdempotencyConflict('This Idempotency-Key was used before, for another request.');
    await this.#assertMayReplay(tables, actor, row);
    const { status, headers, body } = row;
    return { status, headers: headers as StoredResponse['headers'], body };
  }

  async #assertBelowLimit(tables: Tables, { name, userId }: Actor): Promise<void> {
    const since = (await tables.now()) - lifetime;
    const live = [['user_id', '=', userId] as const, ['at', '>', since] as const];
    if ((await tables.of(IdempotencyRecord).count(live, maxKeys)) < maxKeys) return;
    const order = [['at', 'asc']] as const;
    const [oldest] = await tables.of(IdempotencyRecord).find({ where: live, order, columns: ['at'], limit: 1 });
    const message = `${name} has used ${maxKeys} idempotency keys within a day; no more are allowed.`;
    throw new TooManyRequests(message, oldest ? oldest.at - since : lifetime);
  }

  async #assertMayReplay(tables: Tables, actor: Actor, { subject }: IdempotencyRecordRow): Promise<void> {
    if (subject === null) return;
    const { resource: name, row, created } = subject;
    const resource = this.#context.findResource(name);
    await authorize(tables, actor, resource, created ? undefined : row, row);
  }

  async #sign(tables: Tables, fingerprint: string): Promise<string> {
    return (await this.#context.signer(tables))(`idempotency ${fingerprint}`);
  }

  /** Returns the fields of a row that permissions depend on: its company, and those that the rules of its resource name. */
  #permissionFields({ resource, row }: WrittenRecord): Record<string, unknown> {
    const { company, permissions } = this.#context.findResource(resource);
    const fields = [...(permissions.fields ?? []), ...(company === null ? [] : [company])];
    return Object.fromEntries(fields.filter((field) => field in row).map((field) => [field, row[field]]));
  }
}

function isExpired({ at }: IdempotencyRecordRow, now: Instant): boolean {
  return at <= now - lifetime;
}

import { mixed } from 'yup';
import { denied, HorariumError, TooManyRequests } from '../errors.ts';
import { binary, count, instant, integer, text } from '../field/fields.ts';
import { anything, json, optionalJson } from '../field/structured.ts';
import type { Milliseconds } from '../loop/clock.ts';
import { refusalOf } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import type { ResourceFinder } from '../resource/references.ts';
import type { Hmac } from '../secret/vault.ts';
import type { Tables } from '../store/store.ts';
import { defineBookkeeping, newRow, type RowOfTable } from '../store/table.ts';

/** The response to a change that was requested under an idempotency key. */
export const IdempotencyRecord = defineBookkeeping({
  name: 'IdempotencyRecord',
  fields: {
    /** SHA-256 of who requested what under which key. */
    scope: text(64, { unique: true }).required(),
    /** HMAC-SHA256 of what was sent. */
    content: text(64).required(),
    user_id: integer(),
    at: instant({ indexed: true }).required(),
    status: count(200),
    headers: json(anything, {}),
    body: binary(),
    /** The record that was written, so far as permissions depend on it; null where none was. */
    subject: optionalJson(mixed<Subject>().required()),
  },
  indexes: [['user_id', 'at']],
});
type IdempotencyRecordRow = RowOfTable<typeof IdempotencyRecord>;

/** A request that must not be carried out twice. */
export interface IdempotentRequest {
  /** SHA-256 of who requests what under which key. */
  readonly scope: string;
  /** SHA-256 of what was sent. */
  readonly content: string;
}

/** A response as the channel will give it again. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Uint8Array | null;
}

/** The record that a request wrote: who may no longer write it does not get the response again. */
export interface Subject {
  readonly resource: string;
  readonly row: Readonly<Record<string, unknown>>;
  readonly created: boolean;
}

export interface IdempotencyKeysContext {
  readonly findResource: ResourceFinder;
  /**
   * Signs the stored content. A plain digest of a request that held a password would let a reader of the store guess the
   * password as quickly as digests are computed.
   */
  signer(tables: Tables): Promise<Hmac>;
}

/** Thrown in place of a second change, with the response to the first one. */
export class ReplayedResponse extends Error {
  readonly answer: StoredResponse;

  constructor(answer: StoredResponse) {
    super('This request was answered before.');
    this.name = 'ReplayedResponse';
    this.answer = answer;
  }
}

/** The key cannot be used for this request: it is in flight, or was used for another one. */
export class IdempotencyConflict extends HorariumError {
  constructor(message: string) {
    super('conflict', message);
    this.name = 'IdempotencyConflict';
  }
}

const lifetime: Milliseconds = 24 * 3_600_000;
/** Live keys of one user. */
const maxKeys = 10_000;
const maxPruned = 500;

/**
 * Makes a request that is sent again change nothing and get the first response. `begin` and `keep` enclose the change in
 * its own transaction, so that the response is stored exactly when the change is made; errors are never stored. Keys
 * live for a day.
 */
export class IdempotencyKeys {
  readonly #context: IdempotencyKeysContext;

  constructor(context: IdempotencyKeysContext) {
    this.#context = context;
  }

  /**
   * To be called first in the transaction of the change.
   * @throws ReplayedResponse when the request was carried out before; IdempotencyConflict when it is in flight or its
   * content is another one; HorariumError `denied` for a response that the actor may no longer get; TooManyRequests
   * when the user has too many live keys.
   */
  async begin(tables: Tables, actor: Actor, { scope, content }: IdempotentRequest): Promise<void> {
    if (!(await tables.tryLock(`idempotency ${scope}`)))
      throw new IdempotencyConflict('A request with this Idempotency-Key is being carried out at this moment.');
    const row = await this.#find(tables, scope);
    if (!row) return this.#limit(tables, actor);
    if (row.content !== (await this.#sign(tables, content)))
      throw new IdempotencyConflict('This Idempotency-Key was used before, with another content.');
    await this.#authorize(tables, actor, row);
    const { status, headers, body } = row;
    throw new ReplayedResponse({ status, headers: headers as StoredResponse['headers'], body });
  }

  /** Stores the response, in the transaction of the change. */
  async keep(
    tables: Tables,
    { userId }: Pick<Actor, 'userId'>,
    { scope, content }: IdempotentRequest,
    response: StoredResponse,
    subject: Subject | null,
  ): Promise<void> {
    const row = newRow(IdempotencyRecord, {
      scope,
      content: await this.#sign(tables, content),
      user_id: userId,
      ...response,
      at: await tables.now(),
      subject: subject && { ...subject, row: this.#permissionFields(subject) },
    });
    await tables.of(IdempotencyRecord).insertAbsent([row], ['scope']);
  }

  /** Deletes responses older than a day. @returns whether there are more. */
  async prune(tables: Tables): Promise<boolean> {
    const old = [['at', '<=', (await tables.now()) - lifetime]] as const;
    const rows = await tables.of(IdempotencyRecord).find({ where: old, columns: ['id'], limit: maxPruned });
    if (rows.length > 0) await tables.of(IdempotencyRecord).delete([['id', 'in', rows.map((row) => row.id)]]);
    return rows.length === maxPruned;
  }

  /** The live record of the scope; an old one is deleted. */
  async #find(tables: Tables, scope: string): Promise<IdempotencyRecordRow | undefined> {
    const [row] = await tables.of(IdempotencyRecord).find({ where: [['scope', '=', scope]], limit: 1 });
    if (!row || row.at > (await tables.now()) - lifetime) return row;
    await tables.of(IdempotencyRecord).delete([['id', '=', row.id]]);
    return undefined;
  }

  async #limit(tables: Tables, { name, userId }: Actor): Promise<void> {
    const since = (await tables.now()) - lifetime;
    const live = [['user_id', '=', userId] as const, ['at', '>', since] as const];
    if ((await tables.of(IdempotencyRecord).count(live, maxKeys)) < maxKeys) return;
    const order = [['at', 'asc']] as const;
    const [oldest] = await tables.of(IdempotencyRecord).find({ where: live, order, columns: ['at'], limit: 1 });
    const message = `${name} has used ${maxKeys} idempotency keys within a day, the most that are possible.`;
    throw new TooManyRequests(message, oldest ? oldest.at - since : lifetime);
  }

  async #authorize(tables: Tables, actor: Actor, { subject }: IdempotencyRecordRow): Promise<void> {
    if (subject === null) return;
    const { resource: name, row, created } = subject;
    const resource = this.#context.findResource(name);
    const refusal = await refusalOf(actor, resource, created ? undefined : row, row, tables);
    if (refusal) throw denied(refusal);
  }

  async #sign(tables: Tables, content: string): Promise<string> {
    return (await this.#context.signer(tables))(`idempotency ${content}`);
  }

  /** The fields of a row that permissions depend on: whose it is. */
  #permissionFields({ resource, row }: Subject): Record<string, unknown> {
    const { company } = this.#context.findResource(resource);
    const fields = ['id', 'user_id', 'role', ...(company === null ? [] : [company])];
    return Object.fromEntries(fields.filter((field) => field in row).map((field) => [field, row[field]]));
  }
}

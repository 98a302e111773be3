import type { AuditedStore } from '../audit/audited-store.ts';
import { denied, HorariumError } from '../errors.ts';
import type { Milliseconds } from '../loop/clock.ts';
import { refusalOf } from '../resource/access.ts';
import { type Actor, trustedActor } from '../resource/actor.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import type { ResourceFinder } from '../resource/references.ts';
import type { Hmac } from '../secret/vault.ts';
import type { Tables } from '../store/store.ts';
import { newRow } from '../store/table.ts';
import { IdempotencyRecord, type IdempotencyRecordRow } from './idempotency-record.ts';

/** A request that is not to be carried out twice. */
export interface IdempotentRequest {
  /** SHA-256 of who asks for what under which key. */
  readonly scope: string;
  /** SHA-256 of what was sent. */
  readonly content: string;
}

/** An answer as the channel will give it again. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Uint8Array | null;
}

/** The record that a request wrote: who may not write it any more does not get the answer again. */
export interface Subject {
  readonly resource: string;
  readonly row: Readonly<Record<string, unknown>>;
  readonly created: boolean;
}

export interface IdempotencyKeysContext {
  readonly store: AuditedStore;
  readonly find: ResourceFinder;
  /**
   * Signs what is kept of a request. A plain digest of one that held a password would let whoever reads the store guess
   * it as quickly as digests are made.
   */
  signer(tables: Tables): Promise<Hmac>;
}

/** Thrown in place of a second change: this was answered already. */
export class ReplayedResponse extends Error {
  readonly answer: StoredResponse;

  constructor(answer: StoredResponse) {
    super('This request was answered before.');
    this.name = 'ReplayedResponse';
    this.answer = answer;
  }
}

/** The key itself cannot be used like this: that is no answer to the request. */
export class IdempotencyConflict extends HorariumError {
  constructor(message: string) {
    super('conflict', message);
    this.name = 'IdempotencyConflict';
  }
}

const kept: Milliseconds = 24 * 3_600_000;
const mostForgotten = 500;

/** Sees to it that a request which is sent again changes nothing again. Answers are kept for a day. */
export class IdempotencyKeys {
  readonly #context: IdempotencyKeysContext;

  constructor(context: IdempotencyKeysContext) {
    this.#context = context;
  }

  /**
   * To be called first in the transaction of the change.
   * @throws Repeated when it was made before, UnusableKey when it is just being made or the content is another one,
   * HorariumError `denied` for an answer that the actor may not have any more.
   */
  async begin(tables: Tables, actor: Actor, { scope, content }: IdempotentRequest): Promise<void> {
    if (!(await tables.tryLock(`repeat ${scope}`)))
      throw new IdempotencyConflict('A request with this Idempotency-Key is being carried out at this moment.');
    const row = await this.#known(tables, { scope, content });
    if (!row) return;
    await this.#authorize(tables, actor, row);
    const { status, headers, body } = row;
    throw new ReplayedResponse({
      status,
      headers: headers as StoredResponse['headers'],
      body: body as Uint8Array | null,
    });
  }

  /** Keeps the answer, in the transaction of the change. */
  async keep(
    tables: Tables,
    { scope, content }: IdempotentRequest,
    answer: StoredResponse,
    subject: Subject | null,
  ): Promise<void> {
    const about = subject && { ...subject, row: this.#rights(subject) };
    const signed = await this.#signed(tables, content);
    const row = newRow(IdempotencyRecord, {
      scope,
      content: signed,
      ...answer,
      at: await tables.now(),
      subject: about,
    });
    await tables.of(IdempotencyRecord).insertAbsent([row], ['scope']);
  }

  /**
   * Keeps the answer to a request that was refused, so that it is refused again in the same words.
   * @throws UnusableKey when the key was used for another content: a request may be refused before `begin`.
   */
  async keepRefusal(once: IdempotentRequest, answer: StoredResponse): Promise<void> {
    await this.#context.store.transaction(trustedActor('repeats'), async (tables) => {
      await this.#known(tables, once);
      await this.keep(tables, once, answer, null);
    });
  }

  /** Forgets answers older than a day. @returns whether there are more. */
  async prune(tables: Tables): Promise<boolean> {
    const old = [['at', '<=', (await tables.now()) - kept]] as const;
    const rows = await tables.of(IdempotencyRecord).find({ where: old, columns: ['id'], limit: mostForgotten });
    if (rows.length > 0) await tables.of(IdempotencyRecord).delete([['id', 'in', rows.map((row) => row.id)]]);
    return rows.length === mostForgotten;
  }

  /** The answer that is kept under the key; one that is too old is forgotten. */
  async #known(tables: Tables, { scope, content }: IdempotentRequest): Promise<IdempotencyRecordRow | undefined> {
    const [row] = await tables.of(IdempotencyRecord).find({ where: [['scope', '=', scope]], limit: 1 });
    if (!row) return undefined;
    if (row.at <= (await tables.now()) - kept) {
      await tables.of(IdempotencyRecord).delete([['id', '=', row.id]]);
      return undefined;
    }
    if (row.content !== (await this.#signed(tables, content)))
      throw new IdempotencyConflict('This Idempotency-Key was used before, with another content.');
    return row;
  }

  async #authorize(tables: Tables, actor: Actor, { subject }: IdempotencyRecordRow): Promise<void> {
    if (subject === null) return;
    const { resource: name, row, created } = subject as unknown as Subject;
    const resource = this.#context.find(name);
    const refusal = await refusalOf(actor, resource, created ? undefined : row, row, tables);
    if (refusal) throw denied(refusal);
  }

  async #signed(tables: Tables, content: string): Promise<string> {
    return (await this.#context.signer(tables))(`repeat ${content}`);
  }

  /** So much of a row as decides about rights: whose it is. */
  #rights({ resource, row }: Subject): Record<string, unknown> {
    const { company } = this.#context.find(resource) as AnyResource;
    const fields = ['id', 'user_id', 'role', ...(company === null ? [] : [company])];
    return Object.fromEntries(fields.filter((field) => field in row).map((field) => [field, row[field]]));
  }
}

import { denied, HorariumError } from '../errors.ts';
import type { Milliseconds } from '../loop/clock.ts';
import type { Guard } from '../resource/access.ts';
import { type Actor, trustedActor } from '../resource/actor.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import { newRow } from '../resource/new-row.ts';
import type { ResourceFinder } from '../resource/references.ts';
import type { Tables } from '../resource/store.ts';
import type { AuditedStore } from './audited-store.ts';
import type { Hmac } from './chain.ts';
import { Repeat, type RepeatRow } from './repeat.ts';

/** A request that is not to be carried out twice. */
export interface Once {
  /** SHA-256 of who asks for what under which key. */
  readonly scope: string;
  /** SHA-256 of what was sent. */
  readonly content: string;
}

/** An answer as the door will give it again. */
export interface KeptAnswer {
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

export interface RepeatsContext {
  readonly store: AuditedStore;
  readonly guard: Guard;
  readonly find: ResourceFinder;
  /**
   * Signs what is kept of a request. A plain digest of one that held a password would let whoever reads the store guess
   * it as quickly as digests are made.
   */
  signer(tables: Tables): Promise<Hmac>;
}

/** Thrown in place of a second change: this was answered already. */
export class Repeated extends Error {
  readonly answer: KeptAnswer;

  constructor(answer: KeptAnswer) {
    super('This request was answered before.');
    this.name = 'Repeated';
    this.answer = answer;
  }
}

/** The key itself cannot be used like this: that is no answer to the request. */
export class UnusableKey extends HorariumError {
  constructor(message: string) {
    super('conflict', message);
    this.name = 'UnusableKey';
  }
}

const kept: Milliseconds = 24 * 3_600_000;
const mostForgotten = 500;

/** Sees to it that a request which is sent again changes nothing again. Answers are kept for a day. */
export class Repeats {
  readonly #context: RepeatsContext;

  constructor(context: RepeatsContext) {
    this.#context = context;
  }

  /**
   * To be called first in the transaction of the change.
   * @throws Repeated when it was made before, UnusableKey when it is just being made or the content is another one,
   * HorariumError `denied` for an answer that the actor may not have any more.
   */
  async begin(tables: Tables, actor: Actor, { scope, content }: Once): Promise<void> {
    if (!(await tables.tryLock(`repeat ${scope}`)))
      throw new UnusableKey('A request with this Idempotency-Key is being carried out at this moment.');
    const row = await this.#known(tables, { scope, content });
    if (!row) return;
    await this.#authorize(tables, actor, row);
    const { status, headers, body } = row;
    throw new Repeated({ status, headers: headers as KeptAnswer['headers'], body: body as Uint8Array | null });
  }

  /** Keeps the answer, in the transaction of the change. */
  async keep(tables: Tables, { scope, content }: Once, answer: KeptAnswer, subject: Subject | null): Promise<void> {
    const about = subject && { ...subject, row: this.#rights(subject) };
    const signed = await this.#signed(tables, content);
    const row = newRow(Repeat, { scope, content: signed, ...answer, at: await tables.now(), subject: about });
    await tables.of(Repeat).insertAbsent([row], ['scope']);
  }

  /**
   * Keeps the answer to a request that was refused, so that it is refused again in the same words.
   * @throws UnusableKey when the key was used for another content: a request may be refused before `begin`.
   */
  async keepRefusal(once: Once, answer: KeptAnswer): Promise<void> {
    await this.#context.store.transaction(trustedActor('repeats'), async (tables) => {
      await this.#known(tables, once);
      await this.keep(tables, once, answer, null);
    });
  }

  /** Forgets answers older than a day. @returns whether there are more. */
  async sweep(tables: Tables): Promise<boolean> {
    const old = [['at', '<=', (await tables.now()) - kept]] as const;
    const rows = await tables.of(Repeat).find({ where: old, columns: ['id'], limit: mostForgotten });
    if (rows.length > 0) await tables.of(Repeat).delete([['id', 'in', rows.map((row) => row.id)]]);
    return rows.length === mostForgotten;
  }

  /** The answer that is kept under the key; one that is too old is forgotten. */
  async #known(tables: Tables, { scope, content }: Once): Promise<RepeatRow | undefined> {
    const [row] = await tables.of(Repeat).find({ where: [['scope', '=', scope]], limit: 1 });
    if (!row) return undefined;
    if (row.at <= (await tables.now()) - kept) {
      await tables.of(Repeat).delete([['id', '=', row.id]]);
      return undefined;
    }
    if (row.content !== (await this.#signed(tables, content)))
      throw new UnusableKey('This Idempotency-Key was used before, with another content.');
    return row;
  }

  async #authorize(tables: Tables, actor: Actor, { subject }: RepeatRow): Promise<void> {
    if (subject === null) return;
    const { resource: name, row, created } = subject as unknown as Subject;
    const resource = this.#context.find(name);
    const refusal = await this.#context.guard.refusal(actor, resource, created ? undefined : row, row, tables);
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

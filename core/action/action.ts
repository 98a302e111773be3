import type { Fields, RowOf } from '../field/field-meta.ts';
import type { Milliseconds } from '../loop/clock.ts';
import type { Notice } from './notice.ts';

/** One delivery of a notice, as an action receives it. */
export interface ActionDelivery<F extends Fields = Fields> {
  /**
   * The idempotency id: the same in each attempt at this delivery and in no other. A delivery may arrive more than once,
   * because the service may die after it arrived and before that is stored.
   */
  readonly id: string;
  /** The number of this attempt at the delivery, from 1 on. */
  readonly attempt: number;
  /** Complete, validated against the action's `options`, and decrypted. */
  readonly options: Readonly<RowOf<F>>;
  readonly notice: Notice;
  /** Whether the Task, or the ad hoc job, has ended by now; a late notice of its start would be wrong. */
  readonly hasEnded: boolean;
  /**
   * Switches the template off, audited under the name of the action, unless it was changed since the notice was written.
   * @returns a sentence that says what was done.
   */
  deactivateTemplate(): Promise<string>;
}

/** What came of a delivery that arrived; shown in its record, so it must not contain secrets that the service cannot know. */
export interface DeliveryResult {
  /** The status that the receiver answered with, such as the status code of HTTP or the exit code of a program. */
  readonly status?: number | undefined;
  /** The beginning of the answer, for people. */
  readonly response?: string | undefined;
}

/**
 * The error of a delivery that the receiver answered and refused: the delivery's record shows the answer beside the message.
 */
export class DeliveryRefused extends Error implements DeliveryResult {
  readonly status: number | undefined;
  readonly response: string | undefined;

  constructor(message: string, { status, response }: DeliveryResult = {}) {
    super(message);
    this.name = 'DeliveryRefused';
    this.status = status;
    this.response = response;
  }
}

/** PORT: an action, which tells others what became of a Task, or acts on it. */
export interface Action<F extends Fields = Fields> {
  readonly name: string;
  /** The options of one use of it in a list such as `on_failure`, described with the same field helpers as records. */
  readonly options: F;
  /** Whether only admins of the service may write it into a list, because it can do what they can. @default false */
  readonly adminOnly?: boolean;
  /**
   * The options that say where a delivery goes: who changes one must give the secrets again, because they were saved for
   * another place. @default none
   */
  readonly address?: readonly (keyof F & string)[];
  /**
   * Returns why it can never deliver here with such options: the end of a sentence. It runs when a record with them is
   * saved, so secrets that were stored before are still encrypted.
   * @default it can
   */
  refuse?(options: Readonly<Record<string, unknown>>): string | null;
  /**
   * Names where a delivery goes, such as the origin of a URL: deliveries to one endpoint that does not respond delay none
   * to others. It is shown, so it must not contain a secret. @default the name of the action
   */
  endpoint?(options: Readonly<RowOf<F>>): string;
  /**
   * How long failures that follow a failure of the same template are collected, to be told in one digest; 0 = each is
   * delivered. @default 0
   */
  digestInterval?(options: Readonly<RowOf<F>>): Milliseconds;
  /**
   * Delivers a notice; it has arrived when the promise resolves. Stops, and closes what it opened, when the signal aborts.
   * @throws Error whose message tells people why it did not arrive; it is delivered again later. Secrets of the options
   * are masked in it.
   */
  deliver(delivery: ActionDelivery<F>, signal: AbortSignal): Promise<DeliveryResult>;
}

/** An action with any options. */
// biome-ignore lint/suspicious/noExplicitAny: Action is invariant in its options, so only any accepts every action.
export type AnyAction = Action<any>;

/** Returns the action unchanged; lets the compiler infer the type of its options. */
export function defineAction<const F extends Fields>(action: Action<F>): Action<F> {
  return action;
}

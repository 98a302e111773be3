import type { DeliveryResult } from '../action/action.ts';
import type { AuditedStore } from '../audit/audited-store.ts';
import type { Clock, Instant, Milliseconds } from '../loop/clock.ts';
import type { Ticker } from '../loop/loop.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { trustedActor } from '../resource/actor.ts';
import type { Tables } from '../store/store.ts';
import { attemptDelivery } from './attempt-delivery.ts';
import { deliveryDelay } from './back-off.ts';
import {
  type ClaimLimits,
  claimDeliveries,
  claimRenewal,
  hasDue,
  maxUnderWay,
  renewClaims,
} from './claim-deliveries.ts';
import { Delivery, type DeliveryRow, type FailedDelivery } from './delivery.ts';
import { readNoticedOutput } from './noticed-output.ts';
import { type DeliveryContext, type PreparedDelivery, prepareDeliveries } from './prepare-deliveries.ts';

const actor = trustedActor('deliveries');

export interface DeliveriesOptions extends DeliveryContext {
  readonly store: AuditedStore;
  readonly clock: Clock;
  readonly poll: Milliseconds;
  /** Starts the next tick. */
  wake(): void;
  /** Switches a template off, unless it was changed since then. @returns a sentence that says what was done. */
  deactivateTemplate(event: { action: string; templateId: number; noticedAt: Instant }): Promise<string>;
  /** Called for a delivery whose first attempt failed, and for one that is tried no more. */
  onFailed?(delivery: FailedDelivery, error: string): void;
}

/** The result of an attempt at a delivery, which the next tick writes. */
interface Outcome {
  readonly row: DeliveryRow;
  readonly error: string | null;
  readonly result: DeliveryResult;
  /** Whether the service ended the attempt because it stops, so that it does not count. */
  readonly isStopped: boolean;
}

/**
 * Delivers what the outbox holds. Attempts run side by side and outside of ticks and transactions, so that receivers that
 * are slow, or do not answer, hold up nothing but deliveries to themselves.
 */
export class Deliveries implements Ticker {
  readonly name = 'deliveries';
  /** Results that come in together are written together. */
  readonly debounce: Milliseconds = 20;
  readonly #options: DeliveriesOptions;
  readonly #underWay = new Map<number, DeliveryRow>();
  readonly #sends = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #outcomes: Outcome[] = [];
  /** When claims were renewed last, by the monotonic clock. */
  #renewedAt: Milliseconds = -Infinity;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  async tick(): Promise<Milliseconds> {
    await this.#writeOutcomes();
    await this.#renew();
    const { store, poll } = this.#options;
    const limits = this.#limits();
    if (limits.total <= 0 || this.#stop.signal.aborted) return poll;
    if (!(await store.read((tables) => hasDue(tables, limits)))) return poll;
    const prepared = await store.transaction(actor, async (tables) =>
      prepareDeliveries(tables, await claimDeliveries(tables, limits), this.#options),
    );
    for (const each of prepared) this.#start(each);
    return prepared.length > 0 ? 0 : poll;
  }

  /** Ends the attempts that are under way, and writes what came of them; those that are cut off are due again at once. */
  async drain(): Promise<void> {
    this.#stop.abort('stopped');
    await Promise.all(this.#sends);
    await this.#writeOutcomes();
  }

  /** Renews the claims of the attempts under way. It may be late by a poll, which the lease has time for. */
  async #renew(): Promise<void> {
    const { store, clock } = this.#options;
    if (this.#underWay.size === 0 || clock.elapsed() - this.#renewedAt < claimRenewal) return;
    this.#renewedAt = clock.elapsed();
    await store.transaction(actor, (tables) => renewClaims(tables, [...this.#underWay.keys()]));
  }

  #limits(): ClaimLimits {
    return { total: maxUnderWay - this.#underWay.size, underWay: new Map(this.#underWay) };
  }

  #start(prepared: PreparedDelivery): void {
    const { row } = prepared;
    this.#underWay.set(row.id, row);
    const send = this.#attempt(prepared).then((outcome) => {
      this.#underWay.delete(row.id);
      this.#sends.delete(send);
      this.#outcomes.push(outcome);
      this.#options.wake();
    });
    this.#sends.add(send);
  }

  async #attempt(prepared: PreparedDelivery): Promise<Outcome> {
    const { row } = prepared;
    if ('problem' in prepared) return { row, error: prepared.problem, result: {}, isStopped: false };
    const { action, delivery, secrets } = prepared;
    const deactivateTemplate = () =>
      this.#options.deactivateTemplate({
        action: action.name,
        templateId: row.runtemplate_id ?? 0,
        noticedAt: row.notice.occurred_at,
      });
    const { clock, store } = this.#options;
    // Read here and not with the claim, whose transaction holds up every other writer on SQLite. A notice without it is
    // better than none.
    const output = await readNoticedOutput(store, row).catch(() => null);
    const complete = { ...delivery, notice: { ...delivery.notice, output }, deactivateTemplate };
    const outcome = await attemptDelivery({ action, delivery: complete, secrets }, { clock, stop: this.#stop.signal });
    return { row, ...outcome, isStopped: outcome.error !== null && this.#stop.signal.aborted };
  }

  async #writeOutcomes(): Promise<void> {
    const outcomes = this.#outcomes;
    if (outcomes.length === 0) return;
    const failed = await this.#options.store.transaction(actor, (tables) => writeOutcomes(tables, outcomes));
    const written = new Set(outcomes);
    this.#outcomes = this.#outcomes.filter((outcome) => !written.has(outcome));
    for (const { row, error } of failed) this.#options.onFailed?.(row, error ?? '');
  }
}

/** @returns the outcomes that an operator is told: of deliveries that failed at the first attempt, or are tried no more. */
async function writeOutcomes(tables: Tables, outcomes: readonly Outcome[]): Promise<Outcome[]> {
  const now = await tables.now();
  const failed: Outcome[] = [];
  for (const outcome of outcomes) {
    await yieldToEventLoop();
    const { row, error, isStopped } = outcome;
    const delay = isStopped ? 0 : deliveryDelay(row.id, row.tries);
    const set = changesOf(outcome, now, delay);
    // A host that claimed it since, because the lease was over, or a person who retries it, decides instead.
    const claim = [
      ['id', '=', row.id],
      ['state', '=', 'pending'],
      ['attempts', '=', row.attempts],
      ['tries', '=', row.tries],
    ] as const;
    const isCurrent = (await tables.of(Delivery).updateWhere(claim, set)) > 0;
    if (!isCurrent) continue;
    if (set.state !== undefined && row.collected) {
      const { state, delivered_at = null, error: reason = null } = set;
      await tables.of(Delivery).updateWhere([['digest_id', '=', row.id]], { state, delivered_at, error: reason });
    }
    const state = set.state ?? row.state;
    if (error !== null && !isStopped && (state === 'failed' || row.tries === 1))
      failed.push({ ...outcome, row: { ...row, state } });
  }
  return failed;
}

function changesOf(
  { row, error, result, isStopped }: Outcome,
  now: Instant,
  delay: Milliseconds | null,
): Partial<DeliveryRow> {
  const answer = { status: result.status ?? null, response: result.response ?? null };
  if (error === null) return { ...answer, state: 'delivered', delivered_at: now, next_at: null, error: null };
  const failure = { ...answer, error };
  if (delay === null) return { ...failure, state: 'failed', next_at: null };
  return { ...failure, next_at: now + delay, tries: isStopped ? row.tries - 1 : row.tries };
}

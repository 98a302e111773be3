import type { AuditedStore } from '../../audit/audited-store.ts';
import { errorMessage, HorariumError, StoreUnavailable } from '../../errors.ts';
import type { Clock, Milliseconds } from '../../loop/clock.ts';
import type { Ticker } from '../../loop/loop.ts';
import { yieldToEventLoop } from '../../loop/yield-to-event-loop.ts';
import { trustedActor } from '../../resource/actor.ts';
import type { Tables } from '../../store/store.ts';
import { second } from '../../time/duration.ts';
import { Event, type EventRow } from '../event.ts';
import { type MatchedEvent, matchRules } from '../rule/match-rules.ts';
import { type Owner, readDueEvents, readUnendedEvent } from './due-events.ts';
import { type PatternMatcher, readEndedJob, selectableOf } from './ended-jobs.ts';
import { claim, giveBack, lockPending, maxTries, setAside, uncounted } from './event-claims.ts';
import { type FireContext, fireRules } from './fire-rules.ts';
import { batchPlans, fillsBatch, maxJobs } from './plan-batches.ts';
import { defaultMaxFanOut, plainPlan, planRules, type RulePlan } from './plan-jobs.ts';

/** What events are processed with. */
export interface EventContext extends FireContext {
  /** How many jobs one rule may make of one event. @default 1000 */
  readonly maxFanOut?: number | undefined;
  readonly matchesPattern: PatternMatcher;
}

interface EventProcessorOptions extends EventContext {
  readonly store: AuditedStore;
  readonly clock: Pick<Clock, 'elapsed'>;
  /** The maximum time between two polls of the store: other hosts may have written events. */
  readonly poll: Milliseconds;
}

/** An event that this host has claimed, with what its rules make of it. */
interface PlannedEvent extends MatchedEvent {
  readonly plans: readonly RulePlan[];
}

const actor = trustedActor('event processor');

/** How long the rules of one event may be planned, and after which time of planning a host leaves further events to later. */
const maxPlanning: Milliseconds = 4 * second;

/**
 * Fires the rules that match pending events, oldest first. Events whose rules have no selectors need no planning: they are
 * locked and fired in one transaction. The others are claimed, which counts a try, planned without a transaction, and fired:
 * an event that ends the process or its transaction is tried again alone, and set aside after a few tries, while those
 * behind it go on. Whatever dies when, the jobs of a rule and the note that it has fired are committed together.
 */
export class EventProcessor implements Ticker {
  readonly name = 'event processor';
  readonly #options: EventProcessorOptions;
  #isExpecting = false;
  #last: Owner | null = null;
  /** When this host last looked for tries that have not come to an end. */
  #lookedAt: Milliseconds | null = null;
  /** Whether the last transaction that fired events was ended: then the next one only claims, so that tries are counted. */
  #wasEnded = false;
  /** Why this host, or the store, could not fire an event of the current tick. */
  #unavailable: HorariumError | null = null;

  constructor(options: EventProcessorOptions) {
    this.#options = options;
  }

  /** Tells that events were committed, so that the next tick need not look whether there are any. */
  expectEvents(): void {
    this.#isExpecting = true;
  }

  /** @throws HorariumError `unavailable` where this host or the store could not fire an event, after it has fired the others. */
  async tick(): Promise<Milliseconds> {
    const { store, poll } = this.#options;
    const isExpecting = this.#isExpecting;
    this.#isExpecting = false;
    if (!isExpecting && !(await store.readOnce(isPending))) return poll;
    this.#unavailable = null;
    const { claimed, more } = await this.#take();
    const areLeft = await this.#fire(claimed);
    const unended = await this.#takeUnended();
    if (unended) await this.#fire(unended);
    if (this.#unavailable) throw this.#unavailable;
    return more || areLeft || unended ? 0 : poll;
  }

  /** Takes events that no host has tried: fires those that need no planning, and claims the others. */
  async #take() {
    const take = (firesPlain: boolean) =>
      this.#options.store.transaction(actor, async (tables) => {
        const due = await readDueEvents(tables, this.#last);
        const matched = await matchRules(tables, due.events);
        const { plain, mapped, more } = divide(matched);
        if (firesPlain) await fireRules(tables, plain.map(firingOfPlain), this.#options);
        const claimed = await claim(tables, firesPlain ? mapped : matched);
        return { claimed, last: due.last, more: due.more || more };
      });
    // One event may fail the whole batch: planning and firing each alone finds it.
    const taken = await take(!this.#wasEnded).catch((error: unknown) => {
      this.#wasEnded = error instanceof StoreUnavailable;
      if (this.#wasEnded) throw error;
      return take(false);
    });
    this.#wasEnded = false;
    this.#last = taken.last;
    return taken;
  }

  /**
   * Claims an event whose last try has not come to an end, or sets it aside after the last one. Looks not too often.
   * @returns null where there was none.
   */
  async #takeUnended(): Promise<MatchedEvent[] | null> {
    const { store, clock, poll } = this.#options;
    if (this.#lookedAt !== null && clock.elapsed() - this.#lookedAt < poll) return null;
    const taken = await store.transaction(actor, async (tables) => {
      const event = await readUnendedEvent(tables);
      if (!event) return null;
      if (event.tries < maxTries) return claim(tables, await matchRules(tables, [event]));
      const reason =
        event.reason ?? `it was tried ${maxTries} times, and each time the service or its transaction ended`;
      await tables.of(Event).update([{ row: event, set: setAside(reason) }]);
      return [];
    });
    if (!taken) this.#lookedAt = clock.elapsed();
    return taken;
  }

  /** Plans and fires claimed events. @returns whether it had no time for all of them, and has returned the others. */
  async #fire(claimed: readonly MatchedEvent[]): Promise<boolean> {
    const { store, clock } = this.#options;
    const begin = clock.elapsed();
    const left = [...claimed];
    let planned: PlannedEvent[] = [];
    for (const each of claimed) {
      if (clock.elapsed() - begin > maxPlanning) break;
      await yieldToEventLoop();
      left.shift();
      try {
        planned.push({ ...each, plans: await this.#plan(each) });
      } catch (error) {
        await this.#fail(each.event, error);
      }
      if (!fillsBatch(planned)) continue;
      await this.#write(planned);
      planned = [];
    }
    await this.#write(planned);
    if (left.length > 0) await store.transaction(actor, (tables) => giveBack(tables, left));
    return left.length > 0;
  }

  async #plan(matched: MatchedEvent) {
    const { event, rules } = matched;
    const { store, clock, maxFanOut: max = defaultMaxFanOut, matchesPattern } = this.#options;
    const isOfJob = event.kind !== 'source' && rules.some(hasSelectors);
    const ended = await (isOfJob ? store.read((tables) => readEndedJob(tables, event, rules)) : noJob);
    const begin = clock.elapsed();
    const checkTime = () => {
      if (clock.elapsed() - begin > maxPlanning)
        throw new Error(`its rules were not planned within ${maxPlanning / second} s`);
    };
    return planRules(event, rules, selectableOf(event, ended, matchesPattern), { max, checkTime });
  }

  /** Fires what was planned, in as many transactions as its jobs need; where one fails, each event in its own. */
  async #write(planned: readonly PlannedEvent[]): Promise<void> {
    const problems = new Map<number, readonly string[]>();
    try {
      for (const batch of batchPlans(planned)) {
        await yieldToEventLoop();
        const found = await this.#options.store.transaction(actor, async (tables) => {
          const rows = await lockPending(tables, batch);
          const firings = batch.flatMap((part) => {
            const event = rows.get(part.event.id);
            return event ? { ...part, event, problems: problems.get(event.id) ?? [] } : [];
          });
          return fireRules(tables, firings, this.#options);
        });
        for (const [id, list] of found) problems.set(id, list);
      }
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      const [only, ...others] = planned;
      if (only && others.length === 0) await this.#fail(only.event, error);
      else
        for (const each of planned) {
          await yieldToEventLoop();
          await this.#write([each]);
        }
    }
  }

  /**
   * Notes why a try of an event has failed, which counts. What this host lacks, such as a key, or what another transaction
   * has locked for long does not: the event is tried again when its claim is over, perhaps by another host.
   */
  async #fail({ id, tries }: EventRow, error: unknown): Promise<void> {
    if (error instanceof StoreUnavailable) throw error;
    const isUnavailable = error instanceof HorariumError && error.code === 'unavailable';
    if (isUnavailable) this.#unavailable = error;
    await this.#options.store.transaction(actor, async (tables) => {
      const row = (await lockPending(tables, [{ event: { id } }])).get(id);
      if (!row) return;
      const aside = setAside(errorMessage(error));
      const failed = tries >= maxTries ? aside : { reason: aside.reason };
      await tables.of(Event).update([{ row, set: isUnavailable ? uncounted(row) : failed }]);
    });
  }
}

const noJob = { files: [], result: null };

async function isPending(tables: Tables): Promise<boolean> {
  const columns = ['id'] as const;
  const found = await tables.of(Event).find({ where: [['state', '=', 'pending']], limit: 1, columns });
  return found.length > 0;
}

function hasSelectors({ env_mapping }: MatchedEvent['rules'][number]): boolean {
  return Object.keys(env_mapping).length > 0;
}

/** Divides events into those that need no planning, as many as one transaction may fire, and those that do. */
function divide(matched: readonly MatchedEvent[]) {
  const isMapped = ({ rules }: MatchedEvent) => rules.length > maxJobs || rules.some(hasSelectors);
  const mapped = matched.filter(isMapped);
  let jobs = 0;
  const plain = matched.filter((each) => {
    if (isMapped(each)) return false;
    jobs += each.rules.length;
    return jobs <= maxJobs;
  });
  return { plain, mapped, more: plain.length + mapped.length < matched.length };
}

function firingOfPlain(matched: MatchedEvent) {
  const event = { ...matched.event, attempts: matched.event.attempts + 1 };
  return { ...matched, event, plans: matched.rules.map(plainPlan), isLast: true, problems: [] };
}

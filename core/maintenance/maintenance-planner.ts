import type { AuditedStore } from '../audit/audited-store.ts';
import { noCalendarRules, readCalendars } from '../calendar/calendars.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import { stalledWait, type Ticker } from '../loop/loop.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { trustedActor } from '../resource/actor.ts';
import type { CalendarRuleSchemas } from '../resource/record-services.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { hour, minute, second } from '../time/duration.ts';
import { insertPause, type MaintenancePlan, planOf, problemPlan, replanned } from './maintenance-plan.ts';
import { nextMaintenance } from './maintenance-times.ts';
import { MaintenanceWindow, type MaintenanceWindowRow } from './maintenance-window.ts';

const actor = trustedActor('scheduler');

/** How long before it begins a time of maintenance becomes a pause, so that a person can drop it. */
const lead: Milliseconds = hour;
/** How long it waits at most: another host may have saved a maintenance window. */
const poll: Milliseconds = 5 * second;
/** How long a calendar that could not tell its days off is left alone. */
const retryWait: Milliseconds = minute;
/** How many maintenance windows are planned between two looks. */
const maxPlanned = 100;

export interface MaintenancePlannerOptions {
  readonly store: AuditedStore;
  /** @default calendars have no rules */
  readonly calendarRules?: CalendarRuleSchemas;
  /** Reports a maintenance window whose next time is not known, each time that it is tried. @default nothing is called */
  onFailed?(windowId: number, problem: string): void;
  /** Called after a commit that made pauses. */
  onPauses?(): void;
}

/** Makes a pause of each time of the maintenance windows, an hour before it begins. */
export class MaintenancePlanner implements Ticker {
  readonly name = 'maintenance';
  readonly #options: MaintenancePlannerOptions;
  readonly #rules: CalendarRuleSchemas;
  /** When those with a problem were last tried. */
  #retriedAt: Instant = -Infinity;

  constructor(options: MaintenancePlannerOptions) {
    this.#options = options;
    this.#rules = options.calendarRules ?? noCalendarRules;
  }

  async tick(): Promise<Milliseconds> {
    const { store, onPauses } = this.#options;
    const { due, wait } = await store.read((tables) => this.#readDue(tables));
    let isDone = true;
    for (const id of due) {
      await yieldToEventLoop();
      const isPlanned = await store.transaction(actor, async (tables) => {
        tables.afterCommit(() => onPauses?.());
        return this.#plan(tables, id);
      });
      isDone &&= isPlanned;
    }
    if (due.length === 0) return wait;
    return isDone ? 0 : stalledWait;
  }

  /** Finds the windows whose next time is near, and how long to wait where there is none. */
  async #readDue(tables: Tables): Promise<{ readonly due: readonly number[]; readonly wait: Milliseconds }> {
    const now = await tables.now();
    const planned: Where<MaintenanceWindowRow> = [['next_starts_at', '!=', null]];
    const windows = tables.of(MaintenanceWindow);
    const order = [['next_starts_at', 'asc']] as const;
    const columns = ['id', 'next_starts_at'] as const;
    const near = await windows.find({ where: planned, order, limit: maxPlanned, columns });
    const due = near.filter(({ next_starts_at }) => (next_starts_at ?? Infinity) - lead <= now).map(({ id }) => id);
    // A clock that was set back must not put off the next try.
    if (now < this.#retriedAt || now - this.#retriedAt >= retryWait) {
      this.#retriedAt = now;
      const failed = await windows.find({
        where: [['problem', '!=', null]],
        order: [['id', 'asc']],
        limit: maxPlanned,
        columns: ['id'],
      });
      due.push(...failed.map(({ id }) => id));
    }
    const wait = (near[0]?.next_starts_at ?? Infinity) - lead - now;
    return { due, wait: Math.min(poll, Math.max(0, wait)) };
  }

  /**
   * Makes the pause of the next time of a window, and plans the one after it. A time that has passed, as while the service
   * was down, gets none.
   * @returns whether it is done; another transaction has locked the window where not.
   */
  async #plan(tables: Tables, id: number): Promise<boolean> {
    const [window] = await tables.of(MaintenanceWindow).find({ where: [['id', '=', id]], lock: 'skip' });
    if (!window) return false;
    const { problem, next_starts_at: start, next_until: end } = window;
    const now = await tables.now();
    if (problem === null && (start === null || end === null || start - lead > now)) return true;
    if (start !== null && end !== null && end > now) await insertPause(tables, window, { start, end });
    const plan = await this.#nextPlan(tables, window, now);
    if (plan.problem !== null) this.#options.onFailed?.(id, plan.problem);
    await tables.of(MaintenanceWindow).update([{ row: window, set: plan }]);
    return true;
  }

  async #nextPlan(tables: Tables, window: MaintenanceWindowRow, now: Instant): Promise<MaintenancePlan> {
    const { daysOff } = (await readCalendars(tables, this.#rules, [window])).resolve(window);
    if (window.next_until === null) return replanned(tables, window, daysOff);
    try {
      return planOf(nextMaintenance({ ...window, daysOff }, window.next_until, now));
    } catch (error) {
      return problemPlan(error);
    }
  }
}

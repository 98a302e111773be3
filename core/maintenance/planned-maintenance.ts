import { readCalendars } from '../calendar/calendars.ts';
import type { Instant } from '../loop/clock.ts';
import type { TemplateRef } from '../pause/pauses.ts';
import type { CalendarRuleSchemas } from '../resource/record-services.ts';
import type { Tables } from '../store/store.ts';
import type { TimeRange } from '../time/local-time.ts';
import { problemPlan } from './maintenance-plan.ts';
import { type MaintenanceSpan, type MaintenanceTimes, maintenanceAt, maintenanceFrom } from './maintenance-times.ts';
import { MaintenanceWindow, type MaintenanceWindowRow } from './maintenance-window.ts';

/** The times of maintenance windows that lie so far ahead that they have no pauses yet. */
export class PlannedMaintenance {
  readonly #windows: readonly (MaintenanceWindowRow & MaintenanceTimes)[];

  constructor(windows: readonly (MaintenanceWindowRow & MaintenanceTimes)[]) {
    this.#windows = windows;
  }

  /** Returns the maintenance window that will hold the jobs of a run template at an instant. */
  at({ runtemplate_id, company_id }: TemplateRef, at: Instant): MaintenanceWindowRow | undefined {
    return this.#windows.find((window) => {
      if (window.next_starts_at === null || at < window.next_starts_at) return false;
      if (window.runtemplate_id !== null && window.runtemplate_id !== runtemplate_id) return false;
      if (window.company_id !== null && window.company_id !== company_id) return false;
      return maintenanceAt(window, at) !== undefined;
    });
  }

  /**
   * Yields the times of the windows for which `wanted` returns true that start by the end of a range and end after its start.
   * A window whose calendar cannot tell its days off has none.
   */
  *spans(
    { from, to }: TimeRange,
    wanted: (window: MaintenanceWindowRow) => boolean,
  ): Generator<MaintenanceSpan & { readonly window: MaintenanceWindowRow }, void> {
    for (const window of this.#windows) {
      if (window.next_starts_at === null || window.next_starts_at > to || !wanted(window)) continue;
      try {
        for (const span of maintenanceFrom(window, window.next_starts_at, to))
          if (span.end > from) yield { window, ...span };
      } catch (error) {
        // Throws all but what a calendar cannot tell.
        problemPlan(error);
      }
    }
  }
}

/** Reads the maintenance windows that have a next time. */
export async function readPlannedMaintenance(tables: Tables, rules: CalendarRuleSchemas): Promise<PlannedMaintenance> {
  const windows = await tables.of(MaintenanceWindow).find({
    where: [['next_starts_at', '!=', null]],
    order: [['id', 'asc']],
  });
  const calendars = await readCalendars(tables, rules, windows);
  return new PlannedMaintenance(windows.map((window) => calendars.resolve(window)));
}

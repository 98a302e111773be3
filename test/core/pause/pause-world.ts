import {
  type Actor,
  Calendar,
  type CalendarInput,
  type CalendarRow,
  MaintenanceWindow,
  type MaintenanceWindowInput,
  type MaintenanceWindowRow,
  Pause,
  type PauseInput,
  type PauseRow,
} from '@horarium/core';
import { MaintenancePlanner } from '#core/maintenance/maintenance-planner';
import { Records } from '#core/records/records';
import type { Resource } from '#core/resource/define-resource';
import type { CalendarRuleSchemas } from '#core/resource/record-services';
import { findResource } from '#core/resources';
import { PauseReleaser } from '#core/scheduler/release-pauses';
import { recordServices, recordsContext } from '../../support/worlds/record-world.ts';
import { RunnerWorld, runUntilIdle } from '../../support/worlds/runner-world.ts';

export const minute = 60_000;
export const hour = 60 * minute;

/** A world of one worker with pauses, which begins at 05:00 UTC. */
export class PauseWorld extends RunnerWorld {
  readonly releaser = new PauseReleaser({ store: this.audited, poll: 1000 });
  readonly pauses = new Records(
    findResource(Pause.name) as Resource<PauseRow, PauseInput>,
    recordsContext(this.audited),
  );
  readonly maintenance = this.newPlanner();
  readonly maintenanceWindows = new Records(
    findResource(MaintenanceWindow.name) as Resource<MaintenanceWindowRow, MaintenanceWindowInput>,
    recordsContext(this.audited),
  );
  readonly calendars = new Records(
    findResource(Calendar.name) as Resource<CalendarRow, CalendarInput>,
    recordsContext(this.audited),
  );
  /** What the planner has reported. */
  readonly problems: string[] = [];
  readonly runner1 = this.worker();

  /** @param calendarRules the rules that it has; those of the records by default. */
  newPlanner(calendarRules: CalendarRuleSchemas = recordServices.calendarRules): MaintenancePlanner {
    const onFailed = (id: number, problem: string) => void this.problems.push(`${id}: ${problem}`);
    return new MaintenancePlanner({ store: this.audited, calendarRules, onFailed });
  }

  /** Makes maintenance of everything on days of a calendar, whose rows it returns. */
  async maintain(calendar: CalendarInput, given: Partial<MaintenanceWindowInput> = {}) {
    const { id: calendar_id } = await this.calendars.save(this.actor, { name: 'patch days', ...calendar });
    const times = { start_time: '08:00', end_time: '10:00', timezone: 'UTC' };
    const window = await this.maintenanceWindows.save(this.actor, { name: 'Patches', calendar_id, ...times, ...given });
    return { calendar_id, window };
  }

  /** Pauses for that long from now on, by default everything. */
  pause(duration: number | null, given: PauseInput = {}, actor: Actor = this.actor): Promise<PauseRow> {
    const until = duration === null ? null : new Date(this.time.now + duration).toISOString();
    return this.pauses.save(actor, { until, reason: 'lunch', ...given });
  }

  /** Ends a pause now, as a person does. */
  async resume(id: number): Promise<void> {
    await this.pauses.save(this.actor, { id, until: new Date(this.time.now).toISOString() });
  }

  /** Lets all that is due happen now: windows, releases and claims. */
  async act(): Promise<void> {
    await this.schedule();
    while ((await this.maintenance.tick()) === 0);
    while ((await this.releaser.tick()) === 0);
    await runUntilIdle(this.runner1);
  }

  /** Lets time pass, and all that is due happen each minute. */
  async pass(duration: number): Promise<void> {
    for (let left = duration; left > 0; left -= minute) {
      for (let part = Math.min(left, minute); part > 0; part -= 2500) {
        await this.time.pass(Math.min(part, 2500));
        await this.runner1.tick();
      }
      await this.act();
    }
  }

  /** Lets all running attempts succeed. */
  async endAll(): Promise<void> {
    for (const { id, state } of await this.allJobs())
      if (state === 'running') await this.executor.end(id, 0, { finishedAt: this.time.now });
    await runUntilIdle(this.runner1);
  }

  /** The states of all jobs, in the order of their ids. */
  async jobStates(): Promise<string> {
    return (await this.allJobs()).map(({ state }) => state).join(', ');
  }
}

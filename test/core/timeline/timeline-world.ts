import {
  App,
  Company,
  Job,
  type JobRow,
  RunTemplate,
  type RunTemplateRow,
  type Store,
  Task,
  type TaskRow,
  type Timeline,
  type TimelineRequest,
  trustedActor,
} from '@horarium/core';
import { noCalendarRules } from '#core/calendar/calendars';
import { insertOne } from '#core/store/rows';
import { newRow } from '#core/store/table';
import { Schedule } from '#core/template/schedule';
import { readTimeline } from '#core/timeline/read-timeline';

export const everyone = trustedActor('test');
const stamp = { revision: 1, created_at: 1, updated_at: 1 };

/** A store with templates whose Tasks a test makes up. */
export class TimelineWorld {
  readonly #store: Store;
  #app = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  timeline(request: TimelineRequest, actor = everyone): Promise<Timeline> {
    const context = { timezone: 'Europe/Prague', calendarRules: noCalendarRules };
    return this.#store.transaction((tables) => readTimeline(tables, actor, request, context), { readOnly: true });
  }

  app(name: string): Promise<number> {
    const uuid = crypto.randomUUID();
    const row = { ...newRow(App, { name, executable: 'true', uuid }), ...stamp };
    return this.#store.transaction((tables) => insertOne(tables.of(App), row));
  }

  company(name: string): Promise<number> {
    const row = { ...newRow(Company, { code: crypto.randomUUID().slice(0, 8), name }), ...stamp };
    return this.#store.transaction((tables) => insertOne(tables.of(Company), row));
  }

  /** Inserts a template that has no windows to come, unless it is said otherwise. */
  async template(company_id: number, given: Partial<RunTemplateRow> = {}, next: number | null = null): Promise<number> {
    this.#app ||= await this.app('work');
    return this.#store.transaction(async (tables) => {
      const fields = { name: 'template', interval: 'hourly', app_id: this.#app, company_id, ...given } as const;
      const id = await insertOne(tables.of(RunTemplate), { ...newRow(RunTemplate, fields), ...stamp });
      const schedule = newRow(Schedule, { runtemplate_id: id, company_id, next_at: next, next_window: next });
      await tables.of(Schedule).insert([schedule]);
      return id;
    });
  }

  async tasks(rows: readonly Partial<TaskRow>[]): Promise<number[]> {
    return this.#store.transaction((tables) =>
      tables.of(Task).insert(rows.map((row) => ({ ...newRow(Task, row), ...stamp }))),
    );
  }

  async jobs(rows: readonly Partial<JobRow>[]): Promise<number[]> {
    return this.#store.transaction((tables) =>
      tables.of(Job).insert(rows.map((row) => ({ ...newRow(Job, { app_id: this.#app, ...row }), ...stamp }))),
    );
  }

  async clear(): Promise<void> {
    await this.#store.transaction(async (tables) => {
      await tables.of(Job).delete([]);
      await tables.of(Task).delete([]);
    });
  }
}

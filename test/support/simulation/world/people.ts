import {
  type Actor,
  type AnyRow,
  App,
  AuditLog,
  Calendar,
  Company,
  HorariumError,
  isTaskEnded,
  Job,
  RunTemplate,
  type RunTemplateRow,
  type Store,
  type TableDescription,
  type Tables,
  Task,
  trustedActor,
  type Where,
} from '@horarium/core';
import { AuditedStore } from '#core/audit/audited-store';
import { ClockConfirmation } from '#core/clock/clock-confirmation';
import { Jobs } from '#core/job/jobs';
import { productObservers } from '#core/resources';
import { backfill } from '#core/scheduler/backfill';
import { onAppChange, onCalendarChange, onCompanyChange, onTemplateChange } from '#core/scheduler/schedule-reactions';
import { waiveTasksByPerson } from '#core/scheduler/waive-tasks';
import { readById } from '#core/store/rows';
import { newRow } from '#core/store/table';
import type { VirtualTime } from '../../clocks/virtual-time.ts';
import { testSigner } from '../../secrets/test-hmac.ts';
import { recordServices, recordsContext } from '../../worlds/record-world.ts';
import { chainedTemplates, EventPeople } from './event-people.ts';
import { PausingPeople } from './pausing-people.ts';
import { exitCodes, testPreparation } from './preparation.ts';
import type { Random } from './random.ts';
import { randomCadence, randomLimits, randomTemplate, withValidTiming } from './random-templates.ts';
import { type Configuration, TemplateHistory } from './template-history.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
/** How far hosts that go on without the store's clock are ahead of it at most. */
const maxAhead = 2000;

export interface PeopleOptions {
  readonly store: Store;
  readonly time: VirtualTime;
  readonly random: Random;
  /** Called when jobs were scheduled or cancelled. */
  onJobs(): void;
  onError(error: unknown): void;
  /** Decides where the jobs of a template run. */
  place<R extends Omit<RunTemplateRow, 'id'>>(template: R): R;
}

/** Users who change templates, Apps and a company and schedule jobs, with a record of their requests. */
export class People {
  readonly histories = new Map<number, TemplateHistory>();
  /** Ids of running jobs that were cancelled. */
  readonly cancelled = new Set<number>();
  /** Ids of jobs that were rescheduled. */
  readonly rescheduled = new Set<number>();
  /** Ids of the jobs that repeat Tasks which had ended. */
  readonly repetitions = new Set<number>();
  readonly #options: PeopleOptions;
  readonly #store: AuditedStore;
  readonly #jobs: Jobs;
  readonly #actor: Actor = trustedActor('anna', 'http');
  /** Those who cause events. */
  readonly events: EventPeople;
  readonly pausing: PausingPeople;
  #app = 0;
  #otherApp = 0;
  #company = 0;
  #otherCompany = 0;
  #calendar = 0;

  constructor(options: PeopleOptions) {
    this.#options = options;
    this.#store = new AuditedStore(options.store, testSigner, { observers: productObservers() });
    this.events = new EventPeople(this.#store, options.random);
    this.pausing = new PausingPeople(this.#store, options.time, options.random);
    this.#jobs = new Jobs({
      records: recordsContext(this.#store),
      vault: testPreparation().vault,
      onJobs: options.onJobs,
    });
  }

  /** Creates two Apps, two companies, the second of which has a `max_running` and is never disabled, and templates. */
  async setUp(templates: number): Promise<void> {
    const { random, place } = this.#options;
    await this.#store.transaction(this.#actor, async (tables) => {
      const apps = ['work', 'other'].map((name) =>
        newRow(App, { name, executable: name, uuid: uuidOf(name), exit_codes: exitCodes, environment: { ITEM: {} } }),
      );
      [this.#app, this.#otherApp] = (await tables.of(App).insert(apps)) as [number, number];
      const companies = [
        newRow(Company, { code: 'acme', name: 'Acme' }),
        newRow(Company, { code: 'other', name: 'Other', max_running: random.integer(1, 4) }),
      ];
      [this.#company, this.#otherCompany] = (await tables.of(Company).insert(companies)) as [number, number];
      [this.#calendar] = (await tables.of(Calendar).insert([newRow(Calendar, { name: 'closures' })])) as [number];
    });
    for (let index = 0; index < templates; index++)
      await this.#change(async (tables) => {
        const company = index % 2 === 0 ? this.#company : this.#otherCompany;
        const template = place(randomTemplate(random, this.#app, company, `template ${index}`));
        const calendar_id = random.chance(0.5) ? this.#calendar : null;
        const [id] = await tables.of(RunTemplate).insert([{ ...template, calendar_id }]);
        const [after] = await tables.of(RunTemplate).find({ where: [['id', '=', id as number]] });
        await onTemplateChange({ before: undefined, after }, tables, recordServices);
        if (index === 0 && after) await this.events.setUp(tables, after);
      });
  }

  /** Confirms a jump of the clock. @throws HorariumError `conflict` when none is held. */
  async confirmClock(): Promise<void> {
    await new ClockConfirmation(this.#store, () => undefined).confirm(this.#actor);
  }

  /**
   * Notes in all histories that the store's clock was set back to a time.
   * @param from what the service went by until then: by the clocks of its hosts, which an ordinary correction leaves ahead.
   */
  clockSetBack(to: number, from: number): void {
    const { time } = this.#options;
    const clockMax = Math.max(time.storeLatest, Math.min(from, time.storeLatest + maxAhead));
    for (const history of this.histories.values()) history.clockSetBack(to, clockMax);
    time.storeLatest = to;
  }

  /** Sends a random request of a user. Requests that the service rejects are not failures. */
  async act(): Promise<void> {
    const { random } = this.#options;
    const action = random.pick([
      () => this.#edit(),
      () => this.#edit(),
      () => this.#disable(),
      () => this.#closeDays(),
      () => this.#closeDays(),
      () => this.#pause(),
      () => this.#scheduleJob(),
      () => this.#scheduleJob(),
      () => this.#scheduleAttempt(),
      () => this.#repeat(),
      () => this.#repeat(),
      () => this.#waive(),
      () => this.#backfill(),
      () => this.#cancel(),
      () => this.#cancel(),
      () => this.#reschedule(),
      () => this.events.report(),
      () => this.events.retry(),
    ]);
    try {
      await action();
    } catch (error) {
      if (!(error instanceof HorariumError) || !['conflict', 'invalid', 'not_found'].includes(error.code)) throw error;
    }
  }

  async #edit(): Promise<void> {
    const { random } = this.#options;
    await this.#change(async (tables) => {
      const templates = await tables.of(RunTemplate).find();
      const before = random.pick(templates.filter(({ name }) => !chainedTemplates.some((each) => each === name)));
      const now = await tables.now();
      const set = random.pick<() => Partial<RunTemplateRow>>([
        () => ({ active: !before.active }),
        () => ({ active: true }),
        () => randomCadence(random),
        () => randomLimits(random),
        () => ({ starts_at: random.chance(0.3) ? null : now + random.integer(-20, 20) * minute }),
        () => ({ ends_at: random.chance(0.5) ? null : now + random.integer(-5, 40) * minute }),
        () => ({ app_id: before.app_id === this.#app ? this.#otherApp : this.#app }),
        () => ({ note: `seen at ${now}` }),
        () => ({ calendar_id: before.calendar_id === null ? this.#calendar : null }),
      ])();
      await tables.of(RunTemplate).update([{ row: before, set: withoutId(withValidTiming({ ...before, ...set })) }]);
      const [after] = await tables.of(RunTemplate).find({ where: [['id', '=', before.id]] });
      await onTemplateChange({ before, after }, tables, recordServices);
    });
  }

  /** Disables an App or the first company for up to five minutes. */
  async #disable(): Promise<void> {
    const { random, time } = this.#options;
    const id = random.pick([null, this.#app, this.#otherApp]);
    const set = (enabled: boolean) =>
      this.#change((tables) => (id === null ? this.#setCompany(tables, enabled) : setApp(tables, id, enabled)));
    time.in(random.integer(1, 300) * 1000, () => void set(true).catch(this.#options.onError));
    await set(false);
  }

  /** Changes which of the days about now are off. */
  async #closeDays(): Promise<void> {
    const { random } = this.#options;
    await this.#change(async (tables) => {
      const now = await tables.now();
      const near = [-1, 0, 1].filter(() => random.chance(0.5)).map((days) => new Date(now + days * day));
      const dates = near.map((date) => ({ date: date.toISOString().slice(0, 10) }));
      const before = await readById(tables, Calendar, this.#calendar);
      await tables.of(Calendar).update([{ row: before, set: { dates } }]);
      await onCalendarChange({ before, after: { ...before, dates } }, tables, recordServices);
    });
  }

  /** Pauses a template, a company or everything. */
  async #pause(): Promise<void> {
    const { random, onError } = this.#options;
    const [template] = await this.#pickRow(RunTemplate);
    const company_id = random.pick([this.#company, this.#otherCompany]);
    const scope = random.pick([{ runtemplate_id: template?.id ?? null }, { company_id }, {}]);
    await this.pausing.pause(this.#actor, scope, onError);
  }

  async #setCompany(tables: Tables, enabled: boolean): Promise<void> {
    const [before] = await tables.of(Company).find({ where: [['id', '=', this.#company]] });
    if (!before) throw new Error('The company is missing.');
    await tables.of(Company).update([{ row: before, set: { enabled } }]);
    await onCompanyChange({ before, after: { ...before, enabled } }, tables, recordServices);
  }

  async #scheduleJob(): Promise<void> {
    const { random, time } = this.#options;
    const [template] = await this.#pickRow(RunTemplate);
    const scheduledAt = random.chance(0.3)
      ? new Date(time.storeNow + random.integer(1, 600) * 1000).toISOString()
      : 'now';
    if (template) await this.#jobs.schedule(this.#actor, { runtemplate_id: template.id, scheduled_at: scheduledAt });
  }

  async #scheduleAttempt(): Promise<void> {
    const { random, time } = this.#options;
    const [task] = await this.#pickRow(Task, [['state', 'in', ['open', 'running']]]);
    const scheduledAt = random.chance(0.2)
      ? new Date(time.storeNow + random.integer(1, 600) * 1000).toISOString()
      : 'now';
    if (task) await this.#jobs.schedule(this.#actor, { task_id: task.id, scheduled_at: scheduledAt });
  }

  async #repeat(): Promise<void> {
    const { random } = this.#options;
    const active = await this.#store.read((tables) => tables.of(RunTemplate).find({ where: [['active', '=', true]] }));
    const state = random.pick(['fulfilled', 'failed', 'missed', 'cancelled', 'cancelled'] as const);
    const [picked] = await this.#pickRow(Task, [
      ['runtemplate_id', 'in', active.map(({ id }) => id)],
      ['state', '=', state],
    ]);
    if (!picked) return;
    const { task, job } = await this.#store.transaction(this.#actor, async (tables) => {
      const job = await this.#jobs.scheduleIn(tables, this.#actor, { task_id: picked.id });
      return { job, task: await readById(tables, Task, picked.id) };
    });
    if (isTaskEnded(task.state)) this.repetitions.add(job.id);
  }

  async #waive(): Promise<void> {
    const [task] = await this.#pickRow(Task, [['state', 'in', ['open', 'running']]]);
    if (!task) return;
    await this.#store.transaction(this.#actor, (tables) =>
      waiveTasksByPerson(tables, this.#actor, [task.id], { reason: 'not today' }),
    );
  }

  /** Backfills windows of up to the last half an hour. */
  async #backfill(): Promise<void> {
    const { random, time, onJobs } = this.#options;
    const [template] = await this.#pickRow(RunTemplate);
    if (!template) return;
    const { calendarRules } = recordServices;
    const range = { from: time.storeNow - random.integer(1, 30) * minute, to: time.storeNow, calendarRules };
    try {
      await this.#store.transaction(this.#actor, (tables) => backfill(tables, this.#actor, template.id, range));
    } catch (error) {
      // Such a range may have no window.
      if (!(error instanceof HorariumError && error.code === 'bad_request')) throw error;
    }
    onJobs();
  }

  async #cancel(): Promise<void> {
    const state = this.#options.random.pick(['running', 'running', 'scheduled'] as const);
    const [job] = await this.#pickRow(Job, [['state', '=', state]]);
    if (!job) return;
    const { state: stateBefore } = await this.#jobs.cancel(this.#actor, job.id);
    if (stateBefore === 'running') this.cancelled.add(job.id);
  }

  async #reschedule(): Promise<void> {
    const { random, time } = this.#options;
    const [job] = await this.#pickRow(Job, [['state', '=', 'scheduled']]);
    const scheduledAt = new Date(time.storeNow + random.integer(-10, 300) * 1000).toISOString();
    if (!job) return;
    await this.#jobs.change(this.#actor, job.id, { scheduled_at: scheduledAt });
    this.rescheduled.add(job.id);
  }

  /** Picks a random row that meets the conditions. @returns a list of its id, or an empty one. */
  async #pickRow<R extends AnyRow>(description: TableDescription<R>, where: Where<R> = []): Promise<AnyRow[]> {
    const rows = await this.#store.read((tables) => tables.of<AnyRow>(description).find({ where, columns: ['id'] }));
    return rows.length === 0 ? [] : [this.#options.random.pick(rows)];
  }

  /** Changes records, and adds what that changes of each template to its history. */
  async #change(work: (tables: Tables) => Promise<void>): Promise<void> {
    const { storeLatest } = this.#options.time;
    const change = await this.#store.transaction(this.#actor, async (tables) => {
      const before = await readConfigurations(tables);
      await work(tables);
      const [last] = await tables.of(AuditLog).find({ order: [['id', 'desc']], limit: 1, columns: ['id'] });
      return { before, after: await readConfigurations(tables), now: await tables.now(), lastEntry: last?.id ?? 0 };
    });
    const { now, lastEntry } = change;
    for (const [id, after] of change.after) {
      const history = this.histories.get(id) ?? new TemplateHistory();
      this.histories.set(id, history);
      const clockMax = Math.max(storeLatest, now);
      history.record(change.before.get(id) ?? null, after, { now, clockMax, lastEntry });
    }
    this.#options.onJobs();
  }
}

async function setApp(tables: Tables, id: number, enabled: boolean): Promise<void> {
  const [before] = await tables.of(App).find({ where: [['id', '=', id]] });
  if (!before) throw new Error('The App is missing.');
  await tables.of(App).update([{ row: before, set: { enabled } }]);
  await onAppChange({ before, after: { ...before, enabled } }, tables, recordServices);
}

/** Reads all templates, with whether their App and company are enabled. */
async function readConfigurations(tables: Tables): Promise<Map<number, Configuration>> {
  const readEnabled = async (description: typeof App | typeof Company) =>
    new Map((await tables.of<AnyRow & { enabled: boolean }>(description).find()).map((row) => [row.id, row.enabled]));
  const [apps, companies] = [await readEnabled(App), await readEnabled(Company)];
  const templates = await tables.of(RunTemplate).find();
  const calendars = await tables.of(Calendar).find();
  const daysOff = (id: number | null) =>
    (calendars.find((each) => each.id === id)?.dates ?? []).map(({ date }) => date).join();
  return new Map(
    templates.map((template) => [
      template.id,
      {
        ...template,
        daysOff: daysOff(template.calendar_id),
        enabled: apps.get(template.app_id) === true && companies.get(template.company_id) === true,
      },
    ]),
  );
}

function withoutId<R extends AnyRow>({ id: _id, ...rest }: R): Omit<R, 'id'> {
  return rest;
}

function uuidOf(name: string): string {
  return `00000000-0000-4000-8000-${name.length.toString(16).padStart(12, '0')}`;
}

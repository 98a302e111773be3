import { App } from '../app/app.ts';
import { AuditLog } from '../audit/audit-log.ts';
import { AuditSpan } from '../audit/audit-span.ts';
import { AuditedStore } from '../audit/audited-store.ts';
import { Calendar } from '../calendar/calendar.ts';
import { noCalendarRules, readCalendars, readStoredCalendars, type StoredCalendar } from '../calendar/calendars.ts';
import { Company } from '../company/company.ts';
import { Job, type JobRow } from '../job/job.ts';
import type { Clock, Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { PlannedMaintenance, readPlannedMaintenance } from '../maintenance/planned-maintenance.ts';
import { Pauses, readPauses, templateRef } from '../pause/pauses.ts';
import type { CalendarRuleSchemas } from '../resource/record-services.ts';
import { MemoryStore } from '../store/memory/memory-store.ts';
import { overrideTables, typedTable } from '../store/override-tables.ts';
import type { Query, Where } from '../store/query.ts';
import { required } from '../store/rows.ts';
import type { Store, Table, Tables, TransactionOptions } from '../store/store.ts';
import { type AnyRow, newRow, type TableDescription } from '../store/table.ts';
import { Task, type TaskRow } from '../task/task.ts';
import { withoutDisabled } from '../template/disabled-reason.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import { Schedule, type StoredSpec, scheduleSpecFields } from '../template/schedule.ts';
import { nextWindowStart } from './due-windows.ts';
import { Scheduler } from './scheduler.ts';

/** The first job of a window, as the scheduler would create it: when it is due, and the window of its Task. */
export interface PlannedRun {
  readonly templateId: number;
  readonly dueAt: Instant;
  readonly windowStart: Instant;
  readonly windowEnd: Instant;
  readonly deadline: Instant;
  /** The pause that will hold it when it is due; null = none will. */
  readonly pauseId: number | null;
  /** The maintenance window whose pause will hold it, which is not made yet; null = none. */
  readonly maintenanceWindowId: number | null;
}

/** What a simulation reads beside the templates. */
export interface SimulationContext {
  /** The calendars that they follow. @default none */
  readonly calendars?: readonly StoredCalendar[];
  /** @default none */
  readonly calendarRules?: CalendarRuleSchemas;
  /** The pauses that may hold runs. @default none */
  readonly pauses?: Pauses;
  /** The maintenance that lies further ahead than pauses. @default none */
  readonly maintenance?: PlannedMaintenance;
}

/** Simulates the active templates of a store that match, as `simulate` does. */
export async function* simulateStored(
  store: Pick<AuditedStore, 'read'>,
  where: Where<RunTemplateRow>,
  {
    from,
    to,
    calendarRules,
  }: { readonly from: Instant; readonly to: Instant; readonly calendarRules: CalendarRuleSchemas },
): AsyncGenerator<PlannedRun, void> {
  const { templates, ...context } = await store.read((tables) => readSimulated(tables, where, calendarRules));
  yield* simulate(templates, from, to, context);
}

/** Reads the active templates among these whose Apps and companies are enabled, and what may hold or move their runs. */
async function readSimulated(
  tables: Tables,
  where: Where<RunTemplateRow>,
  calendarRules: CalendarRuleSchemas,
): Promise<SimulationContext & { readonly templates: readonly StoredSpec[] }> {
  const query = { where: [...where, ['active', '=', true]], columns: scheduleSpecFields } as const;
  const templates = await withoutDisabled(tables, await tables.of(RunTemplate).find(query));
  const [pauses, maintenance, calendars] = await Promise.all([
    readPauses(tables, templates.map(templateRef)),
    readPlannedMaintenance(tables, calendarRules),
    readStoredCalendars(tables, templates),
  ]);
  return { templates, pauses, maintenance, calendars, calendarRules };
}

/**
 * Runs the real scheduler over these templates in virtual time, without starting any job. Yields the runs of windows
 * that begin at or after `from` and that are due before `to`, in the order in which they are due. Memory does not grow
 * with the range, because yielded runs are dropped.
 */
export async function* simulate(
  templates: readonly StoredSpec[],
  from: Instant,
  to: Instant,
  context: SimulationContext = {},
): AsyncGenerator<PlannedRun, void> {
  const { calendarRules = noCalendarRules } = context;
  const clock = new VirtualClock(from);
  const plan = new PlanStore(clock, context);
  await plan.load(templates, from, calendarRules);
  // With a poll interval as long as the range, each tick sleeps until the next run that is due.
  const store = new AuditedStore(plan, async () => () => '');
  const scheduler = new Scheduler({ store, poll: to - from, calendarRules });
  for (let next = from; next < to; ) {
    await yieldToEventLoop();
    clock.time = next;
    next += await scheduler.tick();
    yield* plan.takeDueBefore(Math.min(next, to));
  }
  yield* plan.takeDueBefore(to);
}

class VirtualClock implements Clock {
  time: Instant;

  constructor(time: Instant) {
    this.time = time;
  }

  now() {
    return this.time;
  }

  elapsed() {
    return this.time;
  }

  uptime() {
    return this.time;
  }

  readonly boot = null;

  async sleep() {
    throw new Error('Nothing waits in a simulation.');
  }
}

/** A store that holds templates and schedules, turns new Tasks and jobs into planned runs, and drops everything else. */
class PlanStore implements Store {
  readonly kind = 'plan';
  readonly #schedules: MemoryStore;
  readonly #pauses: Pauses;
  readonly #maintenance: PlannedMaintenance;
  readonly #overrides: ReadonlyMap<TableDescription, Table>;
  #templates: ReadonlyMap<number, StoredSpec> = new Map();
  #tasks = new Map<number, TaskRow>();
  #planned: PlannedRun[] = [];
  #ids = 0;

  constructor(clock: Clock, { calendars = [], pauses, maintenance }: SimulationContext) {
    this.#pauses = pauses ?? new Pauses([]);
    this.#maintenance = maintenance ?? new PlannedMaintenance([]);
    const calendarsOf = (ids: readonly number[]) => calendars.filter(({ id }) => ids.includes(id));
    // The templates that schedules refer to are in no table of this store.
    const columns = Schedule.columns.map((column) => ({ ...column, foreignKey: false as const }));
    this.#schedules = new MemoryStore({ tables: [{ ...Schedule, columns }], clock });
    this.#overrides = new Map<TableDescription, Table>([
      [RunTemplate, { ...emptyTable(() => 0), find: async (query?: Query) => this.#templatesOf(query) }],
      [Calendar, { ...emptyTable(() => 0), find: async (query?: Query) => calendarsOf(idsOf(query)) as never }],
      [Task, emptyTable((row: TaskRow) => this.#addTask(row))],
      [Job, emptyTable((row: JobRow) => this.#addJob(row))],
      [AuditLog, emptyTable(() => 0)],
      [AuditSpan, emptyTable(() => 0)],
      [App, { ...emptyTable(() => 0), find: async (query?: Query) => idsOf(query).map((id) => ({ id })) }],
      [Company, { ...emptyTable(() => 0), find: async (query?: Query) => idsOf(query).map((id) => ({ id })) }],
    ]);
  }

  async load(templates: readonly StoredSpec[], from: Instant, rules: CalendarRuleSchemas): Promise<void> {
    this.#templates = new Map(templates.map((template) => [template.id, template]));
    const calendars = await this.transaction((tables) => readCalendars(tables, rules, templates));
    const schedules = templates.map((template) => {
      const next = nextWindowStart(calendars.resolve(template), from);
      return newRow(Schedule, {
        runtemplate_id: template.id,
        company_id: template.company_id,
        next_at: next,
        next_window: next,
      });
    });
    await this.#schedules.transaction((tables) => tables.of(Schedule).insert(schedules));
  }

  /** Removes and returns the runs that are due before that moment. Later ticks plan none that are due earlier. */
  takeDueBefore(until: Instant): PlannedRun[] {
    const due = this.#planned.filter((run) => run.dueAt < until);
    this.#planned = this.#planned.filter((run) => run.dueAt >= until);
    return due.sort((one, other) => one.dueAt - other.dueAt || one.templateId - other.templateId);
  }

  transaction<T>(work: (tables: Tables) => Promise<T>, options?: TransactionOptions): Promise<T> {
    return this.#schedules.transaction((tables) => work(this.#override(tables)), options);
  }

  close(): Promise<void> {
    return this.#schedules.close();
  }

  #override(tables: Tables): Tables {
    return overrideTables(tables, {
      of: (description) => {
        const override = this.#overrides.get(description);
        return override ? typedTable(override, description) : tables.of(description);
      },
    });
  }

  /** Returns templates by their ids: the scheduler asks for them in no other way. */
  #templatesOf({ where = [] }: Query = {}): StoredSpec[] {
    return idsOf({ where })
      .map((id) => this.#templates.get(id))
      .filter((template) => template !== undefined);
  }

  #addTask(row: TaskRow): number {
    const id = ++this.#ids;
    this.#tasks.set(id, row);
    return id;
  }

  #addJob(row: JobRow): number {
    const taskId = required(row.task_id, 'Task of the job');
    const task = required(this.#tasks.get(taskId), `Task ${taskId}`);
    this.#tasks.delete(taskId);
    const pauseId = this.#pauses.at(row, row.scheduled_at)?.id ?? null;
    this.#planned.push({
      templateId: row.runtemplate_id,
      dueAt: row.scheduled_at,
      windowStart: task.window_start,
      windowEnd: task.window_end,
      deadline: task.deadline,
      pauseId,
      maintenanceWindowId: pauseId === null ? (this.#maintenance.at(row, row.scheduled_at)?.id ?? null) : null,
    });
    return ++this.#ids;
  }
}

/** Returns the ids that a query asks for. */
function idsOf({ where = [] }: Query = {}): number[] {
  return where.flatMap((term) => ('any' in term ? [] : (term[2] as number[])));
}

/** A table that stays empty: it passes each inserted row to `onInsert`, which returns the id of the row. */
function emptyTable<R extends AnyRow>(onInsert: (row: R) => number): Table {
  const insert = async (rows: readonly R[]) => rows.map(onInsert);
  return {
    find: async () => [],
    count: async () => 0,
    countBy: async () => [],
    sumBy: async () => [],
    histogram: async () => [],
    insert,
    insertAbsent: insert,
    update: async () => [],
    updateWhere: async () => 0,
    delete: async () => [],
    purge: async () => 0,
  };
}

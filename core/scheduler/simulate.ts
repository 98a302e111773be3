import { AuditLog } from '../audit/audit-log.ts';
import { AuditedStore } from '../audit/audited-store.ts';
import { Job, type JobRow } from '../job/job.ts';
import type { Clock, Instant } from '../loop/clock.ts';
import type { TableDescription } from '../resource/define-resource.ts';
import { MemoryStore } from '../store/memory/memory-store.ts';
import { newRow } from '../store/new-row.ts';
import type { Query, Store, Table, Tables, TransactionOptions } from '../store/store.ts';
import { withTables } from '../store/with-tables.ts';
import { Task, type TaskRow } from '../task/task.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import { Schedule } from '../template/schedule.ts';
import { owedAfter } from './due-windows.ts';
import { Scheduler } from './scheduler.ts';

/** A job that would be started, and the obligation it would be for. */
export interface PlannedRun {
  readonly templateId: number;
  readonly dueAt: Instant;
  readonly windowStart: Instant;
  readonly windowEnd: Instant;
  readonly deadline: Instant;
}

/**
 * Runs the real scheduler over these templates in virtual time, without starting anything, and yields what would
 * run from one moment up to, but not including, another, in the order it would be due. It keeps nothing it has
 * yielded, so a long time costs no more memory than a short one.
 */
export async function* simulate(
  templates: readonly RunTemplateRow[],
  from: Instant,
  to: Instant,
): AsyncGenerator<PlannedRun, void> {
  const clock = new VirtualClock(from);
  const plan = new PlanStore(clock);
  await plan.load(templates, from);
  const scheduler = new Scheduler({ store: new AuditedStore(plan), poll: to - from });
  for (let next = from; next < to; ) {
    clock.time = next;
    next += await scheduler.tick();
    yield* plan.take(Math.min(next, to));
  }
  yield* plan.take(to);
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

  async sleep() {
    throw new Error('Nothing waits in a simulation.');
  }
}

/** A store that keeps templates and schedules, hands out Tasks and jobs as plans, and forgets everything else. */
class PlanStore implements Store {
  readonly kind = 'plan';
  readonly #kept: MemoryStore;
  readonly #own: ReadonlyMap<TableDescription, Table<never>>;
  #templates: ReadonlyMap<number, RunTemplateRow> = new Map();
  #tasks = new Map<number, TaskRow>();
  #planned: PlannedRun[] = [];
  #ids = 0;

  constructor(clock: Clock) {
    const columns = Schedule.columns.map((column) => ({ ...column, loose: true }));
    this.#kept = new MemoryStore({ tables: [{ ...Schedule, columns } as unknown as TableDescription], clock });
    this.#own = new Map<TableDescription, Table<never>>([
      [RunTemplate as unknown as TableDescription, { ...sink(() => 0), find: async (query) => this.#named(query) }],
      [Task as unknown as TableDescription, sink((row) => this.#task(row as TaskRow))],
      [Job as unknown as TableDescription, sink((row) => this.#job(row as JobRow))],
      [AuditLog as unknown as TableDescription, sink(() => 0)],
    ]);
  }

  async load(templates: readonly RunTemplateRow[], from: Instant): Promise<void> {
    this.#templates = new Map(templates.map((template) => [template.id, template]));
    const schedules = templates.map((template) => {
      const next = owedAfter(template, from);
      return newRow(Schedule, { runtemplate_id: template.id, next_at: next, next_window: next });
    });
    await this.#kept.transaction((tables) => tables.of(Schedule).insert(schedules));
  }

  /** What is due before that moment; nothing earlier can be added any more. */
  take(before: Instant): PlannedRun[] {
    const taken = this.#planned.filter((run) => run.dueAt < before);
    this.#planned = this.#planned.filter((run) => run.dueAt >= before);
    return taken.sort((one, other) => one.dueAt - other.dueAt || one.templateId - other.templateId);
  }

  transaction<T>(work: (tables: Tables) => Promise<T>, options?: TransactionOptions): Promise<T> {
    return this.#kept.transaction((tables) => work(this.#with(tables)), options);
  }

  close(): Promise<void> {
    return this.#kept.close();
  }

  #with(tables: Tables): Tables {
    return withTables(tables, {
      of: (description) =>
        (this.#own.get(description as unknown as TableDescription) as never) ?? tables.of(description),
    });
  }

  /** The scheduler asks for templates by their ids only. */
  #named({ where = [] }: Query = {}): never[] {
    const ids = where.flatMap((term) => ('any' in term ? [] : (term[2] as number[])));
    return ids.map((id) => this.#templates.get(id)) as never[];
  }

  #task(row: TaskRow): number {
    const id = ++this.#ids;
    this.#tasks.set(id, row);
    return id;
  }

  #job(row: JobRow): number {
    const task = this.#tasks.get(row.task_id as number) as TaskRow;
    this.#tasks.delete(row.task_id as number);
    this.#planned.push({
      templateId: row.runtemplate_id,
      dueAt: row.scheduled_at,
      windowStart: task.window_start,
      windowEnd: task.window_end,
      deadline: task.deadline,
    });
    return ++this.#ids;
  }
}

/** A table that tells of each new row and is always empty. */
function sink(tell: (row: object) => number): Table<never> {
  const insert = async (rows: readonly object[]) => rows.map(tell);
  return {
    find: async () => [],
    count: async () => 0,
    countBy: async () => [],
    insert,
    insertAbsent: insert,
    update: async () => [],
    updateWhere: async () => 0,
    delete: async () => [],
  };
}

import type { AuditedStore } from '../audit/audited-store.ts';
import { noCalendarRules, readCalendars } from '../calendar/calendars.ts';
import { conflict } from '../errors.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import { stalledWait, type Ticker } from '../loop/loop.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { readInTurns } from '../queue/due-rows.ts';
import { trustedActor } from '../resource/actor.ts';
import type { CalendarRuleSchemas } from '../resource/record-services.ts';
import { readByIds } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { Task } from '../task/task.ts';
import { findLocked, type LockOf, type References } from '../template/locked-rows.ts';
import { RunTemplate } from '../template/run-template.ts';
import { type Backlog, Schedule, type ScheduleRow, type StoredSpec, scheduleSpecFields } from '../template/schedule.ts';
import { takeBacklog } from './backlog.ts';
import { createTasks, type WindowBatch } from './create-tasks.ts';
import { type BatchResult, expireTasks } from './end-tasks.ts';
import { LockNotices } from './lock-notices.ts';
import { planWindows } from './plan-windows.ts';

const actor = trustedActor('scheduler');

/**
 * The limits of one transaction, which keep it short. A company has its share of them while another one is enabled, so
 * that what begins of the others waits for that much of it at most.
 */
const limits = {
  /** Templates whose current windows are scheduled. */
  templates: { limit: 500, share: 100 },
  /** Windows of the backlog. Those that are taken of the last template may exceed it. */
  backlog: { limit: 500, share: 100 },
  /** Tasks whose start deadlines have passed. */
  expired: { limit: 500, share: 100 },
} as const;

/** How many windows of the backlog of one template a transaction takes at most. */
const backlogOfTemplate = 100;

/** How long a template that cannot be scheduled waits until it is tried again. */
export const problemDelay: Milliseconds = 60_000;

/** How long a template waits if another transaction has locked its record, its App or its company. */
const lockedDelay: Milliseconds = 1000;

export interface SchedulerOptions {
  readonly store: AuditedStore;
  /** The maximum time between two polls of the store: other hosts may have saved templates in it. */
  readonly poll: Milliseconds;
  /** The rules of the calendars that templates follow. @default none */
  readonly calendarRules?: CalendarRuleSchemas;
  /** Called after a commit that created jobs which may be due. */
  onJobs?(): void;
  /**
   * Called for a template that cannot be scheduled, or for one of those that refer to a record which another transaction has
   * locked for long; it is retried later and does not delay other templates.
   */
  onTemplateFailed?(templateId: number, error: unknown): void;
}

/** What a tick does, each in a transaction of its own, in the order in which it matters to people. */
const steps = ['windows', 'backlog', 'expired'] as const;
type Step = (typeof steps)[number];

/**
 * Creates the Task of each window when the window begins, with its first job, and ends Tasks whose start deadline has
 * passed. Current windows come before the backlog, and companies take turns. Any number of hosts may run a scheduler: the
 * host that locks the Schedule row of a template schedules it.
 */
export class Scheduler implements Ticker {
  readonly name = 'scheduler';
  readonly #options: SchedulerOptions;
  readonly #rules: CalendarRuleSchemas;
  /** The company that was last served in each step. */
  readonly #last: Record<Step, number> = { windows: 0, backlog: 0, expired: 0 };
  readonly #notices = new LockNotices();

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#rules = options.calendarRules ?? noCalendarRules;
  }

  async tick(): Promise<Milliseconds> {
    const { wait, due } = await this.#readDue();
    if (wait > 0) return wait;
    let [done, more] = [0, false];
    for (const step of due) {
      await yieldToEventLoop();
      const result = await this.#options.store.transaction(actor, (tables) => this.#run(step, tables));
      this.#last[step] = result.last;
      done += result.done;
      more ||= result.more;
    }
    if (done === 0) return stalledWait;
    return more ? 0 : 1;
  }

  /** Finds out what is due, and how long until anything is, by index look-ups, whatever the number of templates. */
  async #readDue(): Promise<{ readonly wait: Milliseconds; readonly due: readonly Step[] }> {
    return this.#options.store.read(async (tables) => {
      const [now, next_at, backlog_at, start_deadline] = await Promise.all([
        tables.now(),
        earliestOf(tables, 'next_at'),
        earliestOf(tables, 'backlog_at'),
        earliestDeadline(tables),
      ]);
      // An attempt may still start exactly at the deadline, so the Task expires one millisecond later.
      const at: Readonly<Record<Step, Instant>> = {
        windows: next_at,
        backlog: backlog_at,
        expired: start_deadline + 1,
      };
      const wait = Math.max(0, Math.min(...Object.values(at).map((time) => time - now), this.#options.poll));
      return { wait, due: steps.filter((step) => at[step] <= now) };
    });
  }

  #run(step: Step, tables: Tables): Promise<BatchResult> {
    const last = this.#last[step];
    if (step === 'windows') return this.#scheduleWindows(tables, last);
    if (step === 'backlog') return this.#scheduleBacklog(tables, last);
    return expireTasks(tables, { ...limits.expired, last });
  }

  /** Creates the Tasks of the windows that have begun. */
  async #scheduleWindows(tables: Tables, last: number): Promise<BatchResult> {
    const now = await tables.now();
    const due = { column: 'next_at', until: now, ...limits.templates, last, lock: 'skip' } as const;
    const { rows: schedules, ...turn } = await readInTurns(tables, Schedule, due);
    const templateIds = schedules.map((schedule) => schedule.runtemplate_id);
    const templates = await readByIds(tables, RunTemplate, templateIds, scheduleSpecFields);
    const lockOf = await findLocked(tables, [...templates.values()].map(referencesOf));
    const calendars = await readCalendars(tables, this.#rules, templates.values());
    const batches: WindowBatch[] = [];
    const changes = schedules.map((row) => {
      const stored = templates.get(row.runtemplate_id);
      if (!stored) return { row, set: { next_at: null, next_window: null } };
      if (this.#isLocked(row, [stored], lockOf, now)) return { row, set: { next_at: now + lockedDelay } };
      try {
        const template = calendars.resolve(stored);
        const { current, backlog, next } = planWindows(template, row, now);
        if (current) batches.push({ template, windows: [{ window: current, mode: 'normal' }] });
        const set = { next_at: next, next_window: next, ...backlogColumns(row, backlog, now) };
        return { row, set: current ? { ...set, last_scheduled_at: now } : set };
      } catch (error) {
        this.#options.onTemplateFailed?.(row.runtemplate_id, error);
        return { row, set: { next_at: now + problemDelay } };
      }
    });
    await this.#write(tables, batches, changes);
    return { ...turn, done: schedules.length };
  }

  /** Creates the Tasks of windows that passed unscheduled. */
  async #scheduleBacklog(tables: Tables, last: number): Promise<BatchResult> {
    const now = await tables.now();
    const due = { column: 'backlog_at', until: now, ...limits.backlog, last, lock: 'skip' } as const;
    const { rows: schedules, ...turn } = await readInTurns(tables, Schedule, due);
    const specsOf = ({ backlog }: ScheduleRow) => (backlog ?? []).map(({ spec }) => spec);
    const specs = schedules.flatMap(specsOf);
    const lockOf = await findLocked(tables, specs.map(referencesOf));
    const calendars = await readCalendars(tables, this.#rules, specs);
    const share = turn.isShared ? limits.backlog.share : limits.backlog.limit;
    const taken = new Map<number, number>();
    const batches: WindowBatch[] = [];
    const changes = schedules.flatMap((row) => {
      const before = taken.get(row.company_id) ?? 0;
      if (before >= share) return [];
      if (this.#isLocked(row, specsOf(row), lockOf, now)) return { row, set: { backlog_at: now + lockedDelay } };
      try {
        const older = takeBacklog(row.backlog ?? [], calendars, backlogOfTemplate, now);
        batches.push(...older.batches);
        const count = older.batches.reduce((sum, { windows }) => sum + windows.length, 0);
        taken.set(row.company_id, before + count);
        const set = backlogColumns(null, older.remaining, now);
        return { row, set: count > 0 ? { ...set, last_scheduled_at: now } : set };
      } catch (error) {
        this.#options.onTemplateFailed?.(row.runtemplate_id, error);
        return { row, set: { backlog_at: now + problemDelay } };
      }
    });
    await this.#write(tables, batches, changes);
    const more = turn.more || changes.length < schedules.length || changes.some(({ set }) => set.backlog_at === now);
    return { ...turn, more, done: schedules.length };
  }

  /** Whether another transaction has locked what the Tasks refer to; reports it if that lasts. */
  #isLocked({ runtemplate_id }: ScheduleRow, specs: readonly StoredSpec[], lockOf: LockOf, now: Instant): boolean {
    const [locked] = specs.flatMap((spec) => lockOf(referencesOf(spec)) ?? []);
    const notice = locked && this.#notices.meet(locked, now);
    if (notice) this.#options.onTemplateFailed?.(runtemplate_id, conflict(notice));
    return locked !== undefined;
  }

  async #write(tables: Tables, batches: readonly WindowBatch[], changes: readonly ScheduleChange[]): Promise<void> {
    await createTasks(tables, batches);
    await tables.of(Schedule).update(changes);
    if (batches.length > 0) tables.whenVisible(() => this.#options.onJobs?.());
  }
}

function referencesOf({ id, app_id, company_id }: StoredSpec): References {
  return { runtemplate_id: id, app_id, company_id };
}

interface ScheduleChange {
  readonly row: ScheduleRow;
  readonly set: Partial<ScheduleRow>;
}

/**
 * Returns the columns of a backlog.
 * @param before its row: the backlog keeps its place among those of the company. Null puts it behind the others.
 */
function backlogColumns(
  before: Pick<ScheduleRow, 'backlog_at'> | null,
  backlog: readonly Backlog[],
  now: Instant,
): Pick<ScheduleRow, 'backlog' | 'backlog_at'> {
  if (backlog.length === 0) return { backlog: null, backlog_at: null };
  return { backlog: [...backlog], backlog_at: before?.backlog_at ?? now };
}

/**
 * Returns when the first template is due; Infinity = never. The order is that of the index: by the id alone, all rows that
 * are due at the same instant would be sorted.
 */
async function earliestOf(tables: Tables, column: 'next_at' | 'backlog_at'): Promise<Instant> {
  const order = [
    [column, 'asc'],
    ['company_id', 'asc'],
  ] as const;
  const query = { where: [[column, '!=', null]], order, limit: 1, columns: [column] } as const;
  const [first] = await tables.of(Schedule).find(query);
  return first?.[column] ?? Infinity;
}

async function earliestDeadline(tables: Tables): Promise<Instant> {
  const [first] = await tables.of(Task).find({
    where: [['start_deadline', '!=', null]],
    order: [
      ['start_deadline', 'asc'],
      ['company_id', 'asc'],
    ],
    limit: 1,
    columns: ['start_deadline'],
  });
  return first?.start_deadline ?? Infinity;
}

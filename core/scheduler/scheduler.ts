import type { AuditedStore } from '../audit/audited-store.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import { stalledWait, type Ticker } from '../loop/loop.ts';
import { trustedActor } from '../resource/actor.ts';
import { readByIds } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { Task } from '../task/task.ts';
import { RunTemplate } from '../template/run-template.ts';
import {
  type Backlog,
  Schedule,
  type ScheduleRow,
  type ScheduleSpec,
  scheduleSpecFields,
} from '../template/schedule.ts';
import { backlogOfOutage, takeBacklog } from './backlog.ts';
import { createTasks, type WindowBatch } from './create-tasks.ts';
import { dueWindows, firstWithoutTask } from './due-windows.ts';
import { type BatchResult, expireTasks } from './end-tasks.ts';

const actor = trustedActor('scheduler');

/** The limits of one tick, which keep its transaction short. */
const limits = { templates: 500, windows: 2000, windowsOfTemplate: 200, expired: 500 } as const;

export interface SchedulerOptions {
  readonly store: AuditedStore;
  /** The maximum time between two polls of the store: other hosts may have saved templates in it. */
  readonly poll: Milliseconds;
  /** Called after a commit that created jobs which may be due. */
  onJobs?(): void;
  /** Called for a template that cannot be scheduled; it is retried later and does not delay other templates. */
  onTemplateFailed?(templateId: number, error: unknown): void;
}

/**
 * Creates the Task of each window when the window begins, with its first job, and ends Tasks whose start deadline has
 * passed. Any number of hosts may run a scheduler: the host that locks the Schedule row of a template schedules it.
 */
export class Scheduler implements Ticker {
  readonly name = 'scheduler';
  readonly #options: SchedulerOptions;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  async tick(): Promise<Milliseconds> {
    const wait = await this.#untilDue();
    if (wait > 0) return wait;
    return this.#options.store.transaction(actor, async (tables) => {
      const scheduled = await this.#scheduleWindows(tables);
      const expired = await expireTasks(tables, limits.expired);
      if (scheduled.done + expired.done === 0) return stalledWait;
      return scheduled.more || expired.more ? 0 : 1;
    });
  }

  /** Returns the time until anything is due, by two index look-ups, whatever the number of templates. */
  async #untilDue(): Promise<Milliseconds> {
    return this.#options.store.read(async (tables) => {
      const [now, [schedule], [task]] = await Promise.all([
        tables.now(),
        tables.of(Schedule).find({
          where: [['next_at', '!=', null]],
          order: [['next_at', 'asc']],
          limit: 1,
          columns: ['next_at'],
        }),
        tables.of(Task).find({
          where: [['start_deadline', '!=', null]],
          order: [['start_deadline', 'asc']],
          limit: 1,
          columns: ['start_deadline'],
        }),
      ]);
      // An attempt may still start exactly at the deadline, so the Task expires one millisecond later.
      const next = Math.min(schedule?.next_at ?? Infinity, (task?.start_deadline ?? Infinity) + 1);
      return Math.max(0, Math.min(next - now, this.#options.poll));
    });
  }

  /** Creates the Tasks of the due windows of a batch of templates. */
  async #scheduleWindows(tables: Tables): Promise<BatchResult> {
    const now = await tables.now();
    const schedules = await tables.of(Schedule).find({
      where: [['next_at', '<=', now]],
      order: [['next_at', 'asc']],
      limit: limits.templates,
      lock: 'skip',
    });
    if (schedules.length === 0) return { done: 0, more: false };
    const templateIds = schedules.map((schedule) => schedule.runtemplate_id);
    const templates = await readByIds(tables, RunTemplate, templateIds, scheduleSpecFields);
    const plans = this.#plan(schedules, templates, now);
    await createTasks(
      tables,
      plans.flatMap(({ batches }) => batches),
    );
    await tables.of(Schedule).update(plans.map((plan) => ({ row: plan.schedule, set: scheduleColumns(plan, now) })));
    tables.afterCommit(() => this.#options.onJobs?.());
    const more = plans.length < schedules.length || plans.some((plan) => (nextAt(plan, now) ?? Infinity) <= now);
    return { done: plans.length, more };
  }

  #plan(schedules: readonly ScheduleRow[], templates: ReadonlyMap<number, ScheduleSpec>, now: Instant): Plan[] {
    const plans: Plan[] = [];
    let budget: number = limits.windows;
    for (const schedule of schedules) {
      if (budget <= 0) break;
      const plan = this.#planTemplate(templates.get(schedule.runtemplate_id), schedule, now);
      plans.push(plan);
      budget -= plan.batches.reduce((sum, { windows }) => sum + windows.length, 0);
    }
    return plans;
  }

  #planTemplate(template: ScheduleSpec | undefined, schedule: ScheduleRow, now: Instant): Plan {
    const backlog = schedule.backlog ?? [];
    try {
      const older = takeBacklog(backlog, limits.windowsOfTemplate, now);
      const from = template ? firstWithoutTask(template, schedule) : null;
      const due = template && from !== null ? planDue(template, from, now) : nothingDue;
      const batches = [...older.batches, ...due.batches];
      return { schedule, batches, backlog: [...older.remaining, ...due.backlog], next: due.next };
    } catch (error) {
      this.#options.onTemplateFailed?.(schedule.runtemplate_id, error);
      return { schedule, batches: [], backlog, next: schedule.next_window, retryAt: now + problemDelay };
    }
  }
}

/** The windows of a template that a tick schedules, and those that it leaves for later ticks. */
interface Plan {
  readonly schedule: ScheduleRow;
  readonly batches: readonly WindowBatch[];
  readonly backlog: readonly Backlog[];
  /** Start of the first window after those of this tick; null = no further one is owed. */
  readonly next: Instant | null;
  /** The time at which a template that could not be scheduled is tried again. */
  readonly retryAt?: Instant;
}

const problemDelay: Milliseconds = 60_000;

type DuePlan = Pick<Plan, 'batches' | 'backlog' | 'next'>;

const nothingDue: DuePlan = { batches: [], backlog: [], next: null };

/** Plans the windows that began since `from`. */
function planDue(template: ScheduleSpec, from: Instant, now: Instant): DuePlan {
  const { windows, next } = dueWindows(template, from, now, limits.windowsOfTemplate);
  if (next !== null && next <= now) return planOutage(template, from, now);
  return { batches: [{ template, windows }], backlog: [], next };
}

/** Plans the current window after a long outage, and leaves the older ones as backlog. */
function planOutage(template: ScheduleSpec, from: Instant, now: Instant): DuePlan {
  const { backlog, resume } = backlogOfOutage(template, from, now);
  if (resume === null) return { batches: [], backlog: [backlog], next: null };
  const { windows, next } = dueWindows(template, resume, now, limits.windowsOfTemplate);
  return { batches: [{ template, windows }], backlog: [backlog], next };
}

/** Returns the time at which the scheduler must process the template again; null = never. */
function nextAt({ backlog, next, retryAt }: Plan, now: Instant): Instant | null {
  return retryAt ?? (backlog.length > 0 ? Math.min(next ?? now, now) : next);
}

/** Returns the columns of the Schedule row after a tick. */
function scheduleColumns(plan: Plan, now: Instant): Partial<ScheduleRow> {
  const hasScheduled = plan.batches.some(({ windows }) => windows.length > 0);
  const backlog = plan.backlog.length > 0 ? [...plan.backlog] : null;
  return {
    ...(hasScheduled && { last_scheduled_at: now }),
    next_window: plan.next,
    next_at: nextAt(plan, now),
    backlog,
  };
}

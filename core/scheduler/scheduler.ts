import type { AuditedStore } from '../audit/audited-store.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import type { Ticker } from '../loop/ticker.ts';
import { trustedActor } from '../resource/actor.ts';
import type { Tables } from '../store/store.ts';
import { Task } from '../task/task.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import { Schedule, type ScheduleRow } from '../template/schedule.ts';
import { type Backlog, backlogOfOutage, takeBacklog } from './backlog.ts';
import { createTasks, type WindowBatch } from './create-tasks.ts';
import { type DueWindows, dueWindows } from './due-windows.ts';
import { expireTasks } from './expire-tasks.ts';

const actor = trustedActor('scheduler');

/** How much one tick does at most, so that no transaction becomes long. */
const most = { templates: 500, windows: 2000, windowsOfOne: 200, expired: 500 } as const;

export interface SchedulerOptions {
  readonly store: AuditedStore;
  /** How long to wait at most before looking again: others may have saved templates in the same store. */
  readonly poll: Milliseconds;
  /** Called after jobs were committed that may start now. */
  onJobs?(): void;
  /** A template that cannot be scheduled; it is tried again later and holds up nobody else. */
  onProblem?(templateId: number, error: unknown): void;
}

/** Gives each window its Task when it begins, with its first job, and ends Tasks whose last moment has passed. */
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
      const more = await this.#beginWindows(tables);
      const expired = await expireTasks(tables, most.expired);
      return more || expired === most.expired ? 0 : 1;
    });
  }

  /** Two look-ups in indexes, whatever the number of templates. */
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
          where: [['last_start', '!=', null]],
          order: [['last_start', 'asc']],
          limit: 1,
          columns: ['last_start'],
        }),
      ]);
      // A Task may still be started at its very last moment, so it expires one millisecond later.
      const next = Math.min(schedule?.next_at ?? Infinity, (task?.last_start ?? Infinity) + 1);
      return Math.max(0, Math.min(next - now, this.#options.poll));
    });
  }

  /** @returns whether there is more to do at once. */
  async #beginWindows(tables: Tables): Promise<boolean> {
    const now = await tables.now();
    const schedules = await tables.of(Schedule).find({
      where: [['next_at', '<=', now]],
      order: [['next_at', 'asc']],
      limit: most.templates,
      lock: 'skip',
    });
    if (schedules.length === 0) return false;
    const templates = await templatesOf(tables, schedules);
    const plans = this.#plan(schedules, templates, now);
    await createTasks(
      tables,
      plans.flatMap(({ batches }) => batches),
    );
    await tables.of(Schedule).update(plans.map((plan) => ({ row: plan.schedule, set: after(plan, now) })));
    tables.afterCommit(() => this.#options.onJobs?.());
    return plans.length < schedules.length || plans.some((plan) => (lookAt(plan, now) ?? Infinity) <= now);
  }

  #plan(schedules: readonly ScheduleRow[], templates: ReadonlyMap<number, RunTemplateRow>, now: Instant): Plan[] {
    const plans: Plan[] = [];
    let budget: number = most.windows;
    for (const schedule of schedules) {
      const template = templates.get(schedule.runtemplate_id);
      if (budget <= 0) break;
      const plan = this.#windowsOf(template, schedule, now);
      plans.push({ schedule, ...plan });
      budget -= plan.batches.reduce((sum, { windows }) => sum + windows.length, 0);
    }
    return plans;
  }

  #windowsOf(template: RunTemplateRow | undefined, schedule: ScheduleRow, now: Instant): Omit<Plan, 'schedule'> {
    const { next_window: from, backlog } = schedule;
    try {
      const { batches, left } = takeBacklog(backlog ?? [], most.windowsOfOne);
      if (!template || from === null) return { batches, left, next: null };
      const due = dueWindows(template, from, now, most.windowsOfOne);
      if (due.next === null || due.next > now)
        return { batches: [...batches, { template, windows: due.windows }], left, next: due.next };
      // It was long: the current window is not kept waiting until all before it are written.
      const outage = backlogOfOutage(template, from, now);
      const { windows, next } =
        outage.resume === null ? nothing : dueWindows(template, outage.resume, now, most.windowsOfOne);
      return { batches: [...batches, { template, windows }], left: [...left, outage.backlog], next };
    } catch (error) {
      this.#options.onProblem?.(schedule.runtemplate_id, error);
      return { batches: [], left: backlog ?? [], next: from, retryAt: now + problemDelay };
    }
  }
}

/** What a tick does about one template, and what it leaves for later. */
interface Plan {
  readonly schedule: ScheduleRow;
  readonly batches: readonly WindowBatch[];
  readonly left: readonly Backlog[];
  /** Start of the first window that is left. */
  readonly next: Instant | null;
  /** When to try again after a problem. */
  readonly retryAt?: Instant;
}

const nothing: DueWindows = { windows: [], next: null };
const problemDelay: Milliseconds = 60_000;

/** When the scheduler must look at the template again; null = never. */
function lookAt({ left, next, retryAt }: Plan, now: Instant): Instant | null {
  return retryAt ?? (left.length > 0 ? Math.min(next ?? now, now) : next);
}

function after(plan: Plan, now: Instant): Partial<ScheduleRow> {
  const began = plan.batches.some(({ windows }) => windows.length > 0) ? { last_scheduled_at: now } : {};
  const backlog = plan.left.length > 0 ? [...plan.left] : null;
  return { ...began, next_window: plan.next, next_at: lookAt(plan, now), backlog };
}

async function templatesOf(tables: Tables, schedules: readonly ScheduleRow[]): Promise<Map<number, RunTemplateRow>> {
  const ids = schedules.map((schedule) => schedule.runtemplate_id);
  const rows = await tables.of(RunTemplate).find({ where: [['id', 'in', ids]] });
  return new Map(rows.map((row) => [row.id, row]));
}

import type { Calendars } from '../calendar/calendars.ts';
import { owedWindowContaining } from '../calendar/owed-windows.ts';
import type { Instant } from '../loop/clock.ts';
import { type Backlog, type ScheduleSpec, scheduleSpecFields, scheduleSpecOf } from '../template/schedule.ts';
import type { WindowBatch } from './create-tasks.ts';
import { type DueWindow, dueWindows, nextWindowStart } from './due-windows.ts';

/**
 * Takes up to `limit` windows from the backlogs of a template, oldest first, and returns them with what remains. Windows
 * that begin after `now` are dropped: the clock was set back since they passed, so they come again.
 * @param calendars those that the backlogs refer to.
 */
export function takeBacklog(
  backlogs: readonly Backlog[],
  calendars: Calendars,
  limit: number,
  now: Instant,
): { readonly batches: readonly WindowBatch[]; readonly remaining: readonly Backlog[] } {
  const batches: WindowBatch[] = [];
  const remaining: Backlog[] = [];
  let budget = limit;
  for (const backlog of backlogs) {
    if (budget <= 0) {
      remaining.push(backlog);
      continue;
    }
    const { waived } = backlog;
    const spec = calendars.resolve(backlog.spec, backlog.daysOff);
    const until = Math.min(backlog.until, now);
    // What was waived has passed or not as of then. Any other window may have passed since.
    const { windows, next } = dueWindows(spec, backlog.next, until, budget, waived ? until : now);
    batches.push({ template: spec, windows: waived ? windows.map(waivedWindow) : windows });
    budget -= windows.length;
    if (next !== null && next <= until) remaining.push({ ...backlog, next, until });
  }
  return { batches, remaining };
}

/**
 * Divides the windows that began since `from`; the first has passed. Those that passed become backlog, and
 * scheduling resumes at once with the current window.
 * @param from the start of the first window without a Task.
 */
export function backlogOfOutage(
  template: ScheduleSpec,
  from: Instant,
  now: Instant,
): { readonly backlog: Backlog; readonly resume: Instant | null } {
  const resume = nextWindowStart(template, owedWindowContaining(template, now)?.start ?? now);
  const end = Math.min(template.ends_at ?? Infinity, resume ?? Infinity);
  const spec = { ...scheduleSpecOf(template), ends_at: Number.isFinite(end) ? end : null };
  return { backlog: { spec, next: from, until: now, waived: false, extensible: resume !== null }, resume };
}

/**
 * Adds windows that passed to the backlogs of a template. They become part of the last backlog if the template has not
 * changed since: the windows between the two have their Tasks, which are left out when those of the backlog are created.
 * So the list stays short while the scheduler cannot keep up.
 */
export function appendBacklog(backlogs: readonly Backlog[], added: Backlog): readonly Backlog[] {
  const last = backlogs.at(-1);
  if (!last?.extensible || last.spec.ends_at === null || last.spec.ends_at > added.next) return [...backlogs, added];
  const isSame = scheduleSpecFields.every((field) => field === 'ends_at' || last.spec[field] === added.spec[field]);
  return isSame ? [...backlogs.slice(0, -1), { ...added, next: last.next }] : [...backlogs, added];
}

function waivedWindow({ window, mode }: DueWindow): DueWindow {
  return { window, mode: mode === 'normal' ? 'waived' : 'missed' };
}

import type { Instant } from '../loop/clock.ts';
import { deadlineAt } from '../time/deadline.ts';
import { dueAt } from '../time/due.ts';
import { requireInstant } from '../time/instant.ts';
import { windows } from '../time/windows.ts';
import type { RunTemplateRow } from './run-template.ts';

/** A window of a template, when its first job is due, and the deadline of its Task. */
export interface PlannedWindow {
  readonly start: Instant;
  readonly end: Instant;
  readonly due: Instant;
  readonly deadline: Instant;
}

export interface PreviewRange {
  readonly from: Instant;
  /** The last moment at which a listed window may start; null = only `limit` bounds the list. */
  readonly to: Instant | null;
  readonly limit: number;
}

/** Lists the windows that a template would owe in a range if it were active, oldest first. */
export function preview(template: RunTemplateRow, { from, to, limit }: PreviewRange): PlannedWindow[] {
  requireInstant('from', from);
  if (to !== null) requireInstant('to', to);
  const first = Math.max(from, template.starts_at ?? from);
  const until = Math.min(to === null ? Infinity : to + 1, template.ends_at ?? Infinity);
  const planned: PlannedWindow[] = [];
  for (const window of windows(template, first, until)) {
    if (planned.length === limit) break;
    const due = dueAt(template, window, template.id);
    planned.push({ ...window, due, deadline: deadlineAt(template, window, due) });
  }
  return planned;
}

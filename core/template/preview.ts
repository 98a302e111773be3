import type { Instant } from '../loop/clock.ts';
import { deadlineAt } from '../time/deadline.ts';
import { dueAt } from '../time/due.ts';
import { windows } from '../time/windows.ts';
import type { RunTemplateRow } from './run-template.ts';

/** A window to come: from when to when, when its job is due and by when it must have succeeded. */
export interface PlannedWindow {
  readonly start: Instant;
  readonly end: Instant;
  readonly due: Instant;
  readonly deadline: Instant;
}

export interface PreviewRange {
  readonly from: Instant;
  /** Windows that start later are left out; null = only `most` bounds them. */
  readonly to: Instant | null;
  readonly most: number;
}

/** The windows that a template would owe, oldest first, as it is now; whether it is active does not matter. */
export function preview(template: RunTemplateRow, { from, to, most }: PreviewRange): PlannedWindow[] {
  const first = Math.max(from, template.starts_at ?? from);
  const until = Math.min(to === null ? Infinity : to + 1, template.ends_at ?? Infinity);
  const planned: PlannedWindow[] = [];
  for (const window of windows(template, first, until)) {
    if (planned.length === most) break;
    const due = dueAt(template, window, template.id);
    planned.push({ ...window, due, deadline: deadlineAt(template, window, due) });
  }
  return planned;
}

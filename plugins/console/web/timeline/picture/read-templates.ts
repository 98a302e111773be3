import { read } from '../../data/request.ts';
import { ownZone } from '../../parts/times.ts';
import type { View } from '../view.ts';
import { type PictureRow, rowsOf } from './marks.ts';
import { type Shift, shiftsOf } from './shifts.ts';
import type { TimelineAnswer } from './timeline-answer.ts';

/** Of which company and time the timeline is read, and how long the slots are in which runs are counted. */
export interface Range {
  /** Null = all that the user may see. */
  readonly company: number | null;
  readonly from: number;
  readonly to: number;
  readonly slot: number;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The lengths that slots have: round ones, so that bars stay where they are while a view moves. */
const slotLengths: readonly number[] = [
  ...[5000, 10_000, 30_000],
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minute),
  ...[1, 2, 3, 6, 12].map((hours) => hours * hour),
  ...[1, 2, 7].map((days) => days * day),
];
/** The least width of a bar, in CSS pixels. */
const barWidth = 3;
/** How much more than a view is read on each side of it, so that moving it shows something at once. */
const margin = 0.5;
/** What one answer may have. */
const maxSlots = 2000;
const maxTemplates = 1000;

/** Returns what is read for a view. @param width of the picture in CSS pixels. */
export function rangeOf({ from, span }: View, width: number, company: number | null): Range {
  const wanted = (span / Math.max(1, width)) * barWidth;
  const least = (span * (1 + 2 * margin)) / (maxSlots - 2);
  const slot = slotLengths.find((length) => length >= Math.max(wanted, least)) ?? 7 * day;
  // Slots of hours and days begin where those of the reader's clock do.
  const shift = new Date(from).getTimezoneOffset() * minute;
  const aligned = (at: number, round: (value: number) => number) => round((at - shift) / slot) * slot + shift;
  return {
    company,
    from: aligned(from - margin * span, Math.floor),
    to: aligned(from + (1 + margin) * span, Math.ceil),
    slot,
  };
}

/** Whether what was read shows a view as it would be read. */
export function isCovered(known: Range | null, wanted: Range, { from, span }: View): boolean {
  if (!known || known.company !== wanted.company || known.slot !== wanted.slot) return false;
  return known.from <= from && known.to >= from + span;
}

/** Some templates with what is drawn of them. */
export interface Templates {
  readonly rows: readonly PictureRow[];
  readonly shifts: readonly Shift[];
  /** The id after which the next page begins; null = this is the last one. */
  readonly next: number | null;
}

/** Reads a page of templates, or those with some ids. @throws Problem */
export async function readTemplates(
  { company, from, to, slot }: Range,
  { ids, after = null }: { readonly ids?: readonly number[]; readonly after?: number | null },
  signal: AbortSignal,
): Promise<Templates> {
  const query = {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    slots: (to - from) / slot,
    timezone: ownZone,
    company_id: company,
    limit: maxTemplates,
    after,
    ...(ids && { runtemplate_id: ids.join() }),
  };
  const answer = await read<TimelineAnswer>('/tasks/timeline.json', query, signal);
  return { rows: rowsOf(answer), shifts: shiftsOf(answer.clock, Date.parse(answer.from)), next: answer.next };
}

import type { AnsweredHold, AnsweredRow, TimelineAnswer } from './timeline-answer.ts';

/** The states of what is drawn, from the calmest to the worst: the number of one says how bad it is. */
export const shades = [
  'to_come',
  'held',
  'fulfilled',
  'cancelled',
  'open',
  'running',
  'fulfilled_late',
  'missed',
  'failed',
] as const;
export type Shade = (typeof shades)[number];
const shadeNumber = new Map<string, number>(shades.map((shade, index) => [shade, index]));
export const numberOf = (shade: Shade): number => shades.indexOf(shade);

const [late, missed, failed] = [numberOf('fulfilled_late'), numberOf('missed'), numberOf('failed')];
const [good, runs] = [numberOf('fulfilled'), numberOf('running')];

/** How an attempt went: with the state of its Task, unless it did not succeed. */
export const attemptKinds = { went: 0, runs: 1, broke: 2 } as const;

/** The windows of a row one by one, oldest first: the lists have a member for each. Times are milliseconds since 1970. */
export interface Marks {
  readonly count: number;
  /** The id of the Task; 0 = there is none yet. */
  readonly id: Float64Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly deadline: Float64Array;
  /** When the first job of a window to come is due; the start of the window for a Task. */
  readonly due: Float64Array;
  readonly shade: Uint8Array;
  /** Where the attempts of each begin in the lists of attempts; the last member is their end. */
  readonly attempts: Uint32Array;
  readonly attemptStart: Float64Array;
  /** Infinity = it has not ended. */
  readonly attemptEnd: Float64Array;
  readonly attemptKind: Uint8Array;
  /** In which order they are drawn: the worst last, so that nothing hides it. */
  readonly order: Uint32Array;
}

/** What is counted of a row, by slot. */
export interface Bars {
  readonly from: number;
  readonly slot: number;
  readonly total: Uint32Array;
  /** The number of the worst shade in each slot. */
  readonly worst: Uint8Array;
  /** The most in one slot. */
  readonly most: number;
  /** The counts of each shade; missing = there are none. */
  readonly of: readonly (Uint32Array | undefined)[];
}

/** A span in which no job starts. */
export interface HeldSpan {
  readonly from: number;
  /** Infinity = until a person resumes. */
  readonly to: number;
  /** Who paused; null = maintenance will. */
  readonly by: string | null;
  readonly reason: string;
}

/** A template with what is drawn of it. */
export interface PictureRow {
  readonly id: number;
  readonly name: string;
  readonly company_id: number;
  readonly company: string;
  readonly off: string | null;
  readonly usual: number | null;
  readonly held: readonly HeldSpan[];
  /** Null = they are counted. */
  readonly marks: Marks | null;
  readonly bars: Bars | null;
}

/** Prepares an answer for drawing: numbers in typed arrays, with the order in which they are drawn. */
export function rowsOf(answer: TimelineAnswer): PictureRow[] {
  const origin = Date.parse(answer.from);
  const holds = answer.holds.map((hold) => [hold, spanOf(hold, origin)] as const);
  const taskShades = answer.states.map((state) => shadeNumber.get(state) ?? good);
  const jobKinds = answer.job_states.map(
    (state) => attemptKinds[state === 'succeeded' ? 'went' : state === 'running' ? 'runs' : 'broke'],
  );
  return answer.templates.map((row) => ({
    id: row.id,
    name: row.name,
    company_id: row.company_id,
    company: row.company,
    off: row.off,
    usual: row.usual_duration,
    held: holds.filter(([hold]) => isAbout(hold, row)).map(([, span]) => span),
    marks: row.counts === null ? marksOf(row, origin, taskShades, jobKinds) : null,
    bars: row.counts === null ? null : barsOf(row.counts, origin, answer),
  }));
}

function spanOf({ from, to, by, reason }: AnsweredHold, origin: number): HeldSpan {
  return { from: origin + from, to: to === null ? Number.POSITIVE_INFINITY : origin + to, by, reason };
}

function isAbout(hold: AnsweredHold, row: AnsweredRow): boolean {
  if (hold.runtemplate_id !== null) return hold.runtemplate_id === row.id;
  return hold.company_id === null || hold.company_id === row.company_id;
}

const none = { id: [], start: [], end: [], deadline: [], due: [], state: [], held: [], attempts: [] } as const;

function marksOf(row: AnsweredRow, origin: number, taskShades: readonly number[], jobKinds: readonly number[]): Marks {
  const tasks = row.tasks ?? none;
  const ahead = row.to_come ?? none;
  const size = tasks.id.length;
  const count = size + ahead.start.length;
  const times = (ofTasks: readonly number[], ofWindows: readonly number[]) => {
    const all = new Float64Array(count);
    for (let at = 0; at < size; at++) all[at] = origin + (ofTasks[at] ?? 0);
    for (let at = size; at < count; at++) all[at] = origin + (ofWindows[at - size] ?? 0);
    return all;
  };
  const shade = new Uint8Array(count);
  for (let at = 0; at < size; at++) shade[at] = taskShades[tasks.state[at] ?? 0] ?? good;
  for (let at = size; at < count; at++) shade[at] = ahead.held[at - size] === 1 ? 1 : 0;
  const id = new Float64Array(count);
  id.set(tasks.id);
  const attempts = new Uint32Array(count + 1);
  const flat = tasks.attempts.flat();
  for (let at = 0; at < count; at++) attempts[at + 1] = (attempts[at] ?? 0) + (tasks.attempts[at]?.length ?? 0);
  return {
    count,
    id,
    start: times(tasks.start, ahead.start),
    end: times(tasks.end, ahead.end),
    deadline: times(tasks.deadline, ahead.deadline),
    due: times(tasks.start, ahead.due),
    shade,
    attempts,
    attemptStart: Float64Array.from(flat, ([, start]) => origin + start),
    attemptEnd: Float64Array.from(flat, ([, , end]) => (end === null ? Number.POSITIVE_INFINITY : origin + end)),
    attemptKind: Uint8Array.from(flat, ([, , , state]) => jobKinds[state] ?? attemptKinds.broke),
    order: Uint32Array.from({ length: count }, (_each, at) => at).sort(
      (one, other) => (shade[one] ?? 0) - (shade[other] ?? 0) || one - other,
    ),
  };
}

function barsOf(
  counts: NonNullable<AnsweredRow['counts']>,
  from: number,
  { slots, slot }: Pick<TimelineAnswer, 'slots' | 'slot'>,
): Bars {
  const total = new Uint32Array(slots);
  const worst = new Uint8Array(slots);
  const of: (Uint32Array | undefined)[] = new Array(shades.length);
  for (const [name, list] of Object.entries(counts)) {
    const shade = shadeNumber.get(name);
    if (shade === undefined) continue;
    const all = new Uint32Array(slots);
    list.forEach((each, index) => {
      if (typeof each === 'number') all[index] = each;
      else all[each[0]] = each[1];
    });
    of[shade] = all;
    for (let at = 0; at < slots; at++) {
      const some = all[at] ?? 0;
      if (some === 0) continue;
      total[at] = (total[at] ?? 0) + some;
      if (shade > (worst[at] ?? 0)) worst[at] = shade;
    }
  }
  return { from, slot, total, worst, most: total.reduce((one, other) => Math.max(one, other), 0), of };
}

/** What a row says of a range of time: the share of runs that were on time, whether some were not, and whether some are running. */
export interface RowSummary {
  /** Null = none has ended. */
  readonly rate: number | null;
  readonly isBad: boolean;
  /** Whether the last run that has ended was not on time. */
  readonly isUnmet: boolean;
  readonly isRunning: boolean;
}

/** Sums up a row. @param to exclusive. */
export function summaryOf({ marks, bars }: PictureRow, from: number, to: number): RowSummary {
  const sums = new Array<number>(shades.length).fill(0);
  let isUnmet = false;
  let last = Number.NEGATIVE_INFINITY;
  if (marks)
    for (let at = 0; at < marks.count; at++) {
      // A run whose window began before the range is seen while it may still run.
      const [start, shade] = [marks.start[at] ?? 0, marks.shade[at] ?? 0];
      const isSeen = start >= from || ((marks.end[at] ?? 0) > from && shade === runs);
      if (!isSeen || start >= to) continue;
      add(sums, shade, 1);
      if (start < last || !(shade === good || isBadShade(shade))) continue;
      last = start;
      isUnmet = isBadShade(shade);
    }
  if (bars) {
    const first = Math.max(0, Math.floor((from - bars.from) / bars.slot));
    const end = Math.min(bars.total.length, Math.ceil((to - bars.from) / bars.slot));
    bars.of.forEach((counts, shade) => {
      const isBad = isBadShade(shade);
      for (let at = first; counts && at < end; at++) {
        const count = counts[at] ?? 0;
        add(sums, shade, count);
        if (count === 0 || at < last || !(shade === good || isBad)) continue;
        // The order within a slot is unknown: one that was not on time, which comes after those that were, may be its last.
        isUnmet = isBad;
        last = at;
      }
    });
  }
  const bad = (sums[late] ?? 0) + (sums[missed] ?? 0) + (sums[failed] ?? 0);
  const ended = (sums[good] ?? 0) + bad;
  return {
    rate: ended === 0 ? null : (sums[good] ?? 0) / ended,
    isBad: bad > 0,
    isUnmet,
    isRunning: (sums[runs] ?? 0) > 0,
  };
}

/** Whether runs of a shade were not on time. */
export function isBadShade(shade: number): boolean {
  return shade >= late;
}

function add(sums: number[], shade: number, count: number): void {
  sums[shade] = (sums[shade] ?? 0) + count;
}

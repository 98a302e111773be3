import { computed, signal } from '@preact/signals';
import { path, query, setQuery } from '../app/router.ts';
import { now } from '../data/clock.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The periods that one press shows. */
export const periods = { hour, '6h': 6 * hour, day, week: 7 * day, month: 30 * day } as const;
export type PeriodName = keyof typeof periods;
const usualPeriod: PeriodName = 'day';

/** Which time is seen: from its left edge, and how long, in milliseconds. */
export interface View {
  readonly from: number;
  readonly span: number;
}

const shortest = 5 * minute;
/** The API answers at most 366 days, and more is read than is seen. */
const longest = 180 * day;
const earliest = Date.UTC(2000, 0);
const latestAhead = 366 * day;

/** How much of a view that follows the time has passed. */
const past = 0.75;
/** How long a view stays before it is stored in the URL and its picture is read, in milliseconds. */
const restTime = 200;

/** Whether the pointer or the focus is at the picture: then nothing moves beneath it. */
export const isAt = signal(false);

const periodOf = (name: string | null): PeriodName =>
  name !== null && Object.hasOwn(periods, name) ? (name as PeriodName) : usualPeriod;

const startInUrl = computed(() => Date.parse(query.value.get('from') ?? ''));
const endInUrl = computed(() => Date.parse(query.value.get('to') ?? ''));

/** Whether the view moves on with the time. */
export const isFollowing = computed(() => Number.isNaN(startInUrl.value));

const restedSpan = computed(() => {
  const [from, to] = [startInUrl.value, endInUrl.value];
  const span = to - from;
  return span > 0 ? Math.min(longest, Math.max(shortest, span)) : periods[periodOf(query.value.get('period'))];
});

let followed: View = { from: 0, span: 0 };
const followedStart = computed(() => {
  const span = restedSpan.value;
  const { from, span: before } = followed;
  const isStill = isAt.value && before === span && now.value < from + span;
  if (!isStill) followed = { from: snapped(now.value - past * span, span), span };
  return followed.from;
});

/** Puts the start of a view that follows the time on a round one, so that it stays still most of the time. */
function snapped(from: number, span: number): number {
  if (span >= 7 * day) return new Date(from).setHours(0, 0, 0, 0);
  const step = span >= day ? hour : span >= 6 * hour ? 30 * minute : 5 * minute;
  return Math.floor(from / step) * step;
}

const restedStart = computed(() => (isFollowing.value ? followedStart.value : startInUrl.value));

/** The view as it rests: it stands in the URL, and is that of which the picture is read. */
export const rested = computed<View>(() => ({ from: restedStart.value, span: restedSpan.value }));

const moved = signal<View | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;

/** The view as it is drawn, also while it moves. */
export const view = computed<View>(() => moved.value ?? rested.value);

/** The period that the whole of the view is; null = it was zoomed. */
export const period = computed<PeriodName | null>(() => {
  const { span } = view.value;
  return (Object.keys(periods) as PeriodName[]).find((name) => periods[name] === span) ?? null;
});

/** Moves the view; it is stored once it rests. */
export function moveTo({ from, span }: View): void {
  const kept = Math.min(longest, Math.max(shortest, Math.round(span / 1000) * 1000));
  const latest = now.peek() + latestAhead - kept;
  moved.value = { from: Math.min(latest, Math.max(earliest, from)), span: kept };
  clearTimeout(timer);
  const view = path.peek();
  timer = setTimeout(() => {
    if (path.peek() === view) store();
  }, restTime);
}

/** Stores the view in the URL at once, where it has moved. */
function store(): void {
  clearTimeout(timer);
  const { value } = moved;
  if (!value) return;
  const from = Math.round(value.from / 1000) * 1000;
  const name = (Object.keys(periods) as PeriodName[]).find((each) => periods[each] === value.span);
  const period = name === usualPeriod ? null : (name ?? query.peek().get('period'));
  setQuery({ from: textOf(from), to: name ? null : textOf(from + value.span), period });
  moved.value = null;
}

function textOf(time: number): string {
  return new Date(time).toISOString().replace(/(?::00)?\.000Z$/, 'Z');
}

/** Ends what moves, when the screen is left. */
export function leaveView(): void {
  clearTimeout(timer);
  moved.value = null;
  isAt.value = false;
}

/** Shows a period: about the time in the middle, or with the time if the view follows it. */
export function showPeriod(name: PeriodName): void {
  const { from, span } = view.peek();
  if (isFollowing.peek() && moved.peek() === null) {
    setQuery({ period: name === usualPeriod ? null : name });
    return;
  }
  moveTo({ from: from + (span - periods[name]) / 2, span: periods[name] });
  store();
}

/** Shows the time before or after: days on whole days, whatever the clock does. @param direction 1 or -1. */
export function turn(direction: 1 | -1): void {
  const { from, span } = view.peek();
  const start = new Date(from);
  if (span % day === 0) start.setDate(start.getDate() + (direction * span) / day);
  else start.setTime(from + direction * span);
  moveTo({ from: start.getTime(), span });
  store();
}

/** Moves by a share of what is seen. */
export function pan(share: number): void {
  const { from, span } = view.peek();
  moveTo({ from: from + share * span, span });
}

/** Shows the present time, and moves on with it. */
export function showNow(): void {
  clearTimeout(timer);
  moved.value = null;
  setQuery({ from: null, to: null });
}

/** Zooms, so that a time stays where it is. @param factor below 1 shows less. */
export function zoom(factor: number, at: number): void {
  const { from, span } = view.peek();
  const next = Math.min(longest, Math.max(shortest, span * factor));
  moveTo({ from: at - ((at - from) * next) / span, span: next });
}

/** The states of Tasks in the order of how much they need a person. */
const worstFirst = ['failed', 'missed', 'fulfilled_late', 'running', 'fulfilled', 'cancelled'] as const;
type OwedState = (typeof worstFirst)[number];

/** A run template as its list has it. */
export interface Template {
  readonly id: number;
  readonly code: string | null;
  readonly name: string;
  readonly app_id: number;
  readonly company_id: number;
  readonly active: boolean;
  readonly interval: string;
  readonly cron: string | null;
  readonly timezone: string;
  readonly deadline: string | null;
  readonly next_scheduled_at: string | null;
  readonly pause_id: number | null;
  readonly calendar_id: number | null;
}

/** How many Tasks of each state there are on the last days of a template's own zone, as the service counts them. */
export interface DaysAnswer {
  readonly runtemplate_id: number;
  /** The last of the days: `2026-11-30`. */
  readonly until: string;
  /** By state, the oldest day first. A state without Tasks is missing. */
  readonly counts: Readonly<Record<string, readonly number[]>>;
}

/** The path of the last days of templates. */
export function daysPath(ids: readonly number[], days: number): string {
  return `/console/days?runtemplate_id=${ids.join()}&days=${days}`;
}

/** What became of the Tasks whose windows began on a day. */
export interface DayOutcomes {
  /** When that date begins in UTC, in whose dates it is shown. */
  readonly date: number;
  /** How many Tasks of each state, from the one on that needs a person most. A state without Tasks is missing. */
  readonly counts: Readonly<Partial<Record<OwedState, number>>>;
  /** The state that needs a person most; null = nothing was owed. */
  readonly worst: OwedState | null;
}

export const dayLength = 86_400_000;

/** Returns what became of the Tasks of a template day by day, the oldest first. */
export function dayOutcomesOf({ until, counts }: DaysAnswer, days: number): DayOutcomes[] {
  const last = Date.parse(`${until}T00:00:00Z`);
  return Array.from({ length: days }, (_, index) => {
    const found = worstFirst.flatMap((state) => {
      const count = counts[state]?.[index] ?? 0;
      return count > 0 ? [[state, count] as const] : [];
    });
    const date = last - (days - 1 - index) * dayLength;
    return { date, counts: Object.fromEntries(found), worst: found[0]?.[0] ?? null };
  });
}

/** Returns how many Tasks of these days have ended and were owed, and how many of them were fulfilled in time. */
export function onTimeOf(outcomes: readonly DayOutcomes[]): { readonly owed: number; readonly onTime: number } {
  const sum = (states: readonly OwedState[]) =>
    outcomes.reduce((total, { counts }) => total + states.reduce((part, state) => part + (counts[state] ?? 0), 0), 0);
  return { owed: sum(['fulfilled', 'fulfilled_late', 'failed', 'missed']), onTime: sum(['fulfilled']) };
}

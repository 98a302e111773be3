/** The states of Tasks in the answer of the timeline, in the order of how much they need a person. */
export const worstFirst = ['failed', 'missed', 'fulfilled_late', 'running', 'fulfilled', 'cancelled'] as const;
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

interface TimelineRow {
  readonly id: number;
  /** Milliseconds. */
  readonly usual_duration: number | null;
  readonly tasks: { readonly start: readonly number[]; readonly state: readonly number[] } | null;
  readonly counts: Readonly<Record<string, readonly (number | readonly [number, number])[]>> | null;
}

/** The answer of the timeline, as far as lists of templates read it. */
export interface TimelineOfTemplates {
  readonly from: string;
  readonly slots: number;
  /** Milliseconds. */
  readonly slot: number;
  readonly states: readonly string[];
  readonly templates: readonly TimelineRow[];
}

/** How many Tasks of each state began in one slot. */
export type SlotOutcomes = Readonly<Partial<Record<OwedState, number>>>;

/** Returns what became of the Tasks of a template, slot by slot. */
export function outcomesOf({ slots, slot, states }: TimelineOfTemplates, row: TimelineRow): SlotOutcomes[] {
  const outcomes = Array.from({ length: slots }, (): Partial<Record<OwedState, number>> => ({}));
  const add = (at: number, state: string | undefined, count: number) => {
    const known = worstFirst.find((each) => each === state);
    const outcome = outcomes[Math.min(slots - 1, Math.max(0, at))];
    if (known && outcome && count > 0) outcome[known] = (outcome[known] ?? 0) + count;
  };
  row.tasks?.start.forEach((start, index) => {
    add(Math.floor(start / slot), states[row.tasks?.state[index] ?? -1], 1);
  });
  for (const [state, counts] of Object.entries(row.counts ?? {}))
    counts.forEach((each, index) => {
      if (typeof each === 'number') add(index, state, each);
      else add(each[0], state, each[1]);
    });
  return outcomes;
}

/** Returns how many Tasks were owed in these slots, and how many of them were fulfilled in time. */
export function onTimeOf(outcomes: readonly SlotOutcomes[]): { readonly owed: number; readonly onTime: number } {
  const sum = (states: readonly OwedState[]) =>
    outcomes.reduce((total, each) => total + states.reduce((part, state) => part + (each[state] ?? 0), 0), 0);
  return { owed: sum(['fulfilled', 'fulfilled_late', 'failed', 'missed']), onTime: sum(['fulfilled']) };
}

/** What `/tasks/timeline.json` answers, as far as the picture needs it. Times but those of the range are milliseconds after `from`. */
export interface TimelineAnswer {
  readonly from: string;
  readonly to: string;
  readonly clock: readonly AnsweredOffset[];
  readonly slots: number;
  readonly slot: number;
  readonly states: readonly string[];
  readonly job_states: readonly string[];
  readonly holds: readonly AnsweredHold[];
  readonly templates: readonly AnsweredRow[];
  /** What `after` is for the next page; null = this is the last one. */
  readonly next: number | null;
}

/** When the clock of the reader has which offset from UTC, in milliseconds. */
export interface AnsweredOffset {
  readonly at: number;
  readonly offset: number;
}

export interface AnsweredHold {
  readonly runtemplate_id: number | null;
  readonly company_id: number | null;
  readonly from: number;
  readonly to: number | null;
  /** Who paused; null = maintenance will. */
  readonly by: string | null;
  readonly reason: string;
}

export interface AnsweredRow {
  readonly id: number;
  readonly name: string;
  readonly company_id: number;
  readonly company: string;
  readonly off: string | null;
  readonly usual_duration: number | null;
  readonly tasks: AnsweredTasks | null;
  readonly to_come: AnsweredWindows | null;
  readonly counts: Readonly<Record<string, readonly number[] | readonly (readonly [number, number])[]>> | null;
}

interface AnsweredTasks {
  readonly id: readonly number[];
  readonly start: readonly number[];
  readonly end: readonly number[];
  readonly deadline: readonly number[];
  readonly state: readonly number[];
  readonly attempts: readonly (readonly (readonly [id: number, start: number, end: number | null, state: number])[])[];
}

interface AnsweredWindows {
  readonly start: readonly number[];
  readonly end: readonly number[];
  readonly due: readonly number[];
  readonly deadline: readonly number[];
  readonly held: readonly (0 | 1)[];
}

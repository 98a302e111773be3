import type { Instant, Milliseconds } from '../loop/clock.ts';

/** The states by which templates are found. Nearly all Tasks are fulfilled, so that this state would find nearly all templates. */
export const timelineStates = ['open', 'running', 'fulfilled_late', 'failed', 'missed', 'cancelled'] as const;
export type TimelineState = (typeof timelineStates)[number];

/** The maximum of `slots`: no screen has more columns that a person can tell apart. */
export const maxSlots = 2000;
/** The maximum of `limit`. */
export const maxTimelineRows = 1000;

/** What a timeline is about: at most 366 days. */
export interface TimelineRequest {
  /** @default 24 hours ago, at a whole minute */
  readonly from?: Instant;
  /** Windows that start before that time. @default in six hours */
  readonly to?: Instant;
  /** The id of a company. @default all that the actor may see */
  readonly company_id?: number;
  /** Only templates of this App. @default all */
  readonly app_id?: number;
  /** Only these templates. @default all */
  readonly templateIds?: readonly number[];
  /** Only templates whose name or code has this text in it, in capitals or not. @default all */
  readonly name?: string;
  /** Only templates with a Task in one of these states whose window starts in the range. @default all */
  readonly states?: readonly TimelineState[];
  /** The maximum number of templates: 1 to `maxTimelineRows`. @default 100 */
  readonly limit?: number;
  /** The id of the last template of the page before. @default the first page */
  readonly after?: number;
  /** How many columns of time are shown: 1 to `maxSlots`. @default 200 */
  readonly slots?: number;
  /** The zone whose clock changes are listed. @default that of the service */
  readonly timezone?: string;
}

/** Why the windows that lie ahead of a template get no Tasks, or are not known. */
export const offReasons = ['inactive', 'app_disabled', 'company_disabled', 'unplannable'] as const;
export type OffReason = (typeof offReasons)[number];

/** Tasks one by one, oldest first: the lists have a member for each. Times are milliseconds after the start of the timeline. */
export interface ListedTasks {
  readonly id: readonly number[];
  readonly start: readonly number[];
  readonly end: readonly number[];
  readonly deadline: readonly number[];
  /** The number of the state in `states`. */
  readonly state: readonly number[];
  /** Of each Task its attempts that have started; none where there are too many. */
  readonly attempts: readonly (readonly ListedAttempt[])[];
}

/** When an attempt started and ended; null = it has not. The state is the number of it in `job_states`. */
export type ListedAttempt = readonly [jobId: number, start: number, end: number | null, state: number];

/** Windows that have no Task yet, one by one, oldest first. Times are as those of `ListedTasks`. */
export interface ListedWindows {
  readonly start: readonly number[];
  readonly end: readonly number[];
  /** When the first job is due. */
  readonly due: readonly number[];
  readonly deadline: readonly number[];
  /** 1 = a pause or maintenance holds the job then. */
  readonly held: readonly (0 | 1)[];
}

/** The number of Tasks or windows in each slot, the first one first. */
type EachSlot = readonly number[];
/** The slots that have Tasks, with their number: most slots have none of these. */
type SomeSlots = readonly (readonly [slot: number, count: number])[];

/** What is counted by slot: Tasks by state, windows to come, and apart those that a pause or maintenance will hold. */
export type SlotCounts = Partial<Record<'fulfilled' | 'to_come' | 'held', EachSlot> & Record<TimelineState, SomeSlots>>;

/** A template with what was owed and what comes: one by one, or where that would be too much counted by slot. */
export interface TimelineRow {
  readonly id: number;
  readonly code: string | null;
  readonly name: string;
  readonly company_id: number;
  readonly company: string;
  readonly app_id: number;
  /** Null = the actor may not see Apps. */
  readonly app: string | null;
  /** Null = its windows get Tasks. */
  readonly off: OffReason | null;
  /** How long a successful attempt usually takes; null = none has succeeded. */
  readonly usual_duration: Milliseconds | null;
  /** Null = they are counted. */
  readonly tasks: ListedTasks | null;
  /** Null = they are counted. */
  readonly to_come: ListedWindows | null;
  /** Null = they are listed. A state without Tasks is missing. */
  readonly counts: SlotCounts | null;
  /** Until when the windows to come are complete; null = all are. */
  readonly complete_until: number | null;
}

/** A span in which no job starts: a pause, or a time of maintenance that lies further ahead than pauses. */
export interface TimelineHold {
  readonly kind: 'pause' | 'maintenance';
  /** The id of the pause or of the maintenance window. */
  readonly id: number;
  /** Null = all of the company. */
  readonly runtemplate_id: number | null;
  /** Null = all companies. */
  readonly company_id: number | null;
  readonly from: number;
  /** Null = until a person resumes. */
  readonly to: number | null;
  /** Who paused; null = the maintenance window will. */
  readonly by: string | null;
  readonly reason: string;
}

/** When the clock of the zone has which offset from UTC: the first entry is that at the start. */
export interface ClockOffset {
  readonly at: number;
  readonly offset: Milliseconds;
}

/** When what ran, and what comes. All times but the first three are milliseconds after `from`. */
export interface Timeline {
  readonly time: Instant;
  readonly from: Instant;
  readonly to: Instant;
  readonly timezone: string;
  readonly clock: readonly ClockOffset[];
  readonly slots: number;
  /** The length of a slot. The last one may reach beyond `to`. */
  readonly slot: Milliseconds;
  readonly states: readonly string[];
  readonly job_states: readonly string[];
  readonly holds: readonly TimelineHold[];
  /** By company, App and name. */
  readonly templates: readonly TimelineRow[];
  /** What `after` is for the next page; null = this is the last one. */
  readonly next: number | null;
}

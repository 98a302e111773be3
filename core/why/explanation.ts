import type { Changes } from '../audit/changes.ts';
import type { Instant } from '../loop/clock.ts';
import type { UndoingChange } from '../records/undo/undone.ts';
import type { HoldName } from '../worker/hold.ts';

/** The names of the conditions that must be met for a job to run, and what each asks, in the order of the chain. */
export const conditionMeanings = {
  clock: 'the clock of the database has not jumped ahead, or an admin has confirmed the jump',
  active: 'the run template is active',
  app_enabled: 'its App is enabled',
  company_enabled: 'its company is enabled',
  paused: 'no pause of the run template, of its company or of all holds it',
  startable: 'its executor starts jobs with its executor_options, as far as the settings of this host say',
  started: 'its starts_at has passed',
  not_ended: 'its ends_at lies ahead',
  calendar: 'its present window does not begin on a day off of its calendar',
  window: 'it has a window that lies ahead; with the interval none, jobs run on request alone',
  tasks_made: 'the windows that began have their Tasks: a scheduler keeps up',
  owed: 'the Task is still owed',
  attempts: 'an attempt at the Task is left, and is scheduled',
  deadline: 'an attempt may still start: neither the deadline has passed nor, with allow_late, the window',
  due: 'the time has come at which the job is due',
  overlap: 'no other job of its template runs that it may not overlap',
  other_attempt: 'no other attempt at its Task runs',
  max_running: 'its template runs fewer jobs than its max_running',
  order: 'no older job of its template has to start first',
  company_max_running: 'its company runs fewer jobs than its max_running',
  worker: 'a live worker has the executor, or programs elsewhere claim its jobs',
  slots: 'a worker has a free slot',
  share: 'its company holds less than its share of the slots',
} as const satisfies Readonly<Record<HoldName, string>> & Readonly<Record<string, string>>;
export type ConditionName = keyof typeof conditionMeanings;
export const conditionNames = Object.keys(conditionMeanings) as readonly ConditionName[];

/** One condition of the chain. */
export interface RunCondition {
  readonly name: ConditionName;
  readonly met: boolean;
  /** How things stand, as a clause without a full stop. */
  readonly text: string;
  /** The entry of the audit log since which it is not met; null = none is known, or the actor may not read it. */
  readonly auditlog_id: number | null;
}

/** The kinds of records that have an explanation. */
export const explainedKinds = ['RunTemplate', 'Task', 'Job'] as const;
export type ExplainedKind = (typeof explainedKinds)[number];

/** What is to be explained. */
export interface ExplanationRequest {
  readonly kind: ExplainedKind;
  readonly id: number;
  /** The zone of the times in the sentences. @default that of the service */
  readonly timezone?: string;
}

/** A change of a record, as the audit log has it. */
export interface SavedChange {
  /** The id of its entry in the audit log. */
  readonly auditlog_id: number;
  readonly at: Instant;
  readonly actor: string;
  readonly channel: string;
  readonly action: 'create' | 'update' | 'delete';
  readonly entity_type: string;
  readonly entity_id: number;
  /** What people call the record; null = it has no name any more. */
  readonly name: string | null;
  readonly changes: Changes;
  /** The change that gave the record its former values again; null = none has. */
  readonly undone_by: UndoingChange | null;
}

/** Something in which a run differs from the last success. */
export interface RunDifference {
  readonly what: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** What is different since the last success. */
export interface ChangesSinceSuccess {
  /** The last job that succeeded; null = none is known. */
  readonly job_id: number | null;
  /** How many Tasks right before it were fulfilled in time, one after the other: at most 1000. Null = there is none before. */
  readonly fulfilled_before: number | null;
  /** When that job started, or the template was created: the changes are those made since. */
  readonly since: Instant;
  /** The newest first. */
  readonly changes: readonly SavedChange[];
  /** How many further changes there are. */
  readonly further: number;
  /** How many further changes the actor may not read. */
  readonly hidden: number;
  /** Changes before that time have left the store for the archive of the audit log; null = all are listed or counted. */
  readonly archived_before: Instant | null;
  /** In what the run differs from that job, apart from what was saved. */
  readonly differences: readonly RunDifference[];
}

/** Why something runs or not. */
export interface Explanation {
  readonly kind: ExplainedKind;
  readonly id: number;
  readonly runtemplate_id: number;
  readonly company_id: number;
  readonly time: Instant;
  readonly timezone: string;
  /** The answer, without a full stop. */
  readonly sentence: string;
  /** In the order in which they must be met; those behind one that is not met may be missing. */
  readonly conditions: readonly RunCondition[];
  /** Null = it did not fail, and is not late. */
  readonly since_success: ChangesSinceSuccess | null;
}

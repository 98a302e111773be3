import type { Instant } from '../loop/clock.ts';

/** The events that actions follow: the start and the endings of a Task, or of an ad hoc job. Retried attempts are none. */
export const actionEvents = ['on_start', 'on_success', 'on_failure', 'on_late', 'on_missed', 'on_recovered'] as const;
export type ActionEvent = (typeof actionEvents)[number];

/** A record that a notice names, as it was then. */
export interface NamedRecord {
  readonly id: number;
  readonly code: string | null;
  readonly name: string;
}

/** What an action tells: what happened, for whom and why. It is stored with the event, so it is the same in every attempt. */
export interface Notice {
  readonly event: ActionEvent;
  /** When it happened. */
  readonly occurred_at: Instant;
  /** Why it ended as it did, with secrets masked; null where there is no more to say. */
  readonly reason: string | null;
  readonly company: NamedRecord;
  readonly runtemplate: NamedRecord;
  readonly app: NamedRecord;
  /** Null for an ad hoc job. */
  readonly task: NoticedTask | null;
  /** The ad hoc job, or the attempt that decided the Task; null where there was none, as of a missed Task. */
  readonly job: NoticedJob | null;
  /** A UUID of the Task, or of the ad hoc job: the same from its start to its ending. */
  readonly run_id: string;
  /** How many Tasks and ad hoc jobs of the template have failed or were missed in a row, up to this event. */
  readonly failures: number;
  /** When the first of those failed; null where none did. */
  readonly failing_since: Instant | null;
  /**
   * The last lines that the job wrote, with secrets masked: at most 20 lines and 4 KiB. Null at a start, and if there is no
   * job or it wrote nothing. It is read for each attempt at the delivery, not stored with the notice.
   */
  readonly output: string | null;
  /** The failures that this delivery reports together; null if it reports this one alone. */
  readonly digest: NoticeDigest | null;
  /** Where people read more; null where the service has no address. */
  readonly link: string | null;
}

export interface NoticedTask {
  readonly id: number;
  readonly state: string;
  readonly window_start: Instant;
  readonly window_end: Instant;
  readonly deadline: Instant;
  readonly attempts: number;
}

export interface NoticedJob {
  readonly id: number;
  readonly state: string;
  readonly attempt: number;
  readonly exit_code: number | null;
  readonly signal: string | null;
}

/** Failures that are told together. */
export interface NoticeDigest {
  readonly count: number;
  readonly first_at: Instant;
  readonly last_at: Instant;
  /** The newest of them, oldest first. */
  readonly failures: readonly Pick<Notice, 'occurred_at' | 'reason' | 'task' | 'job'>[];
}

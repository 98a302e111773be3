import type { AnyRecord } from '../data/records.ts';

/** A Task as lists have it. */
export interface RunRow {
  readonly id: number;
  readonly runtemplate_id: number;
  readonly company_id: number;
  readonly window_start: string;
  readonly window_end: string;
  readonly deadline: string;
  readonly state: string;
  readonly reason: string | null;
  readonly ended_at: string | null;
  readonly attempts: number;
  readonly fulfilled_at: string | null;
  readonly backfilled: boolean;
}

/** A job as lists have it. */
export interface AttemptRow {
  readonly id: number;
  readonly runtemplate_id: number;
  readonly app_id: number;
  readonly company_id: number;
  readonly task_id: number | null;
  readonly event_id: number | null;
  readonly attempt: number;
  readonly state: string;
  readonly trigger: string;
  readonly launched_by: number | null;
  readonly scheduled_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly reason: string | null;
  readonly peak_memory: number | null;
  readonly command: string | null;
  readonly executor: string;
  readonly worker: string | null;
  readonly app_version: string | null;
  readonly progress: number | null;
  readonly message: string | null;
}

/** A job with what only its own view has. */
export interface AttemptDetail extends AttemptRow {
  readonly arguments: readonly string[] | null;
  readonly environment: Readonly<Record<string, string>>;
  readonly output_deleted_at: string | null;
  readonly waiting_reason: string | null;
  readonly artifacts: readonly LeftFile[];
}

export interface LeftFile {
  readonly id: number;
  readonly filename: string;
  readonly content_type: string;
  readonly size: number;
}

export interface RunDetail extends RunRow {
  readonly jobs: readonly AttemptRow[];
}

const endedAttempts: ReadonlySet<string> = new Set([
  'succeeded',
  'failed',
  'timed_out',
  'cancelled',
  'lost',
  'skipped',
]);

export function isAttemptEnded({ state }: Pick<AttemptRow, 'state'>): boolean {
  return endedAttempts.has(state);
}

export function isRunEnded({ state }: Pick<RunRow, 'state'>): boolean {
  return state !== 'open' && state !== 'running';
}

/** Whether a run did not end as it was owed. */
export function isUnmet({ state }: Pick<RunRow, 'state'>): boolean {
  return state === 'failed' || state === 'missed' || state === 'fulfilled_late';
}

/** The state of a run as it is shown: a waived one is cancelled on purpose, and one whose deadline has passed is overdue. */
export function shownState({ state, deadline, reason }: RunRow, now: number): string {
  if (state === 'cancelled' && reason?.startsWith('waived')) return 'waived';
  return state === 'open' && Date.parse(deadline) < now ? 'overdue' : state;
}

/** The agent that is a worker; null = another worker is. */
export function agentOf(worker: string): string | null {
  return worker.startsWith('agent:') ? worker.slice('agent:'.length) : null;
}

/** The host of a worker, which is the beginning of its name. */
export function hostOf(worker: string): string {
  return worker.replace(/:\d+:[^:]*$/, '');
}

/** A run template as lists have it, of which the views read a few fields. */
export interface TemplateRecord extends AnyRecord {
  readonly name: string;
  readonly interval: string;
  readonly cron: string | null;
  readonly timezone: string;
  readonly usual_duration: number | null;
}

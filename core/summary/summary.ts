import type { Instant } from '../loop/clock.ts';
import type { TimeRange } from '../time/local-time.ts';
import type { NextRun } from './next-run.ts';
import type { Outcomes } from './outcomes.ts';
import type { NamedPause } from './pauses.ts';
import type { NamedProblem } from './problem.ts';

/** What a summary is about: at most 366 days. */
export interface SummaryRequest {
  /** @default the start of the day in the service's time zone */
  readonly from?: Instant;
  /** Inclusive. A range that has ended has nothing that runs, comes next or will be late. @default now */
  readonly to?: Instant;
  /** The id of a company. @default all that the actor may see */
  readonly company_id?: number;
  /** The zone of the times in its sentences, whose day begins the range where no `from` does. @default that of the service */
  readonly timezone?: string;
}

/** Whether everything is on time, and what is not. Counts are of Tasks where nothing else is said. */
export interface Summary extends TimeRange, Outcomes {
  /** All of it in a sentence without a full stop. */
  readonly sentence: string;
  /** Whether there is no problem. */
  readonly ok: boolean;
  readonly time: Instant;
  readonly timezone: string;
  /** Those that ended in the range but were not cancelled, and those that are overdue. */
  readonly owed: number;
  /** Those whose deadline has passed, and that can still be fulfilled late. */
  readonly overdue: number;
  /** The share of those owed that were fulfilled in time; null = none was owed. */
  readonly on_time_rate: number | null;
  /** Those that will be late if their attempts take as long as usual. */
  readonly will_be_late: number;
  /** The number of active templates whose jobs no live worker and no agent can run. */
  readonly will_not_run: number;
  /** The number of run templates whose windows get no Tasks: inactive ones, and those of a disabled App or company. */
  readonly switched_off: number;
  /** The number of pauses in force. */
  readonly paused: number;
  /** Those that began last, at most 20. */
  readonly pauses: readonly NamedPause[];
  /** The number of jobs that run. */
  readonly running: number;
  /** The number of jobs that are due, not blocked by others of their template, and have not started. */
  readonly waiting: number;
  readonly next: NamedRun | null;
  /** The worst kind first, and of each kind the newest. */
  readonly problems: readonly NamedProblem[];
  /** How many Tasks are late, failed, missed or overdue that no problem counts, because they are older. */
  readonly further: number;
}

/** The next job, with the names of its template and its company. */
export interface NamedRun extends NextRun, Pick<NamedProblem, 'name' | 'company'> {}

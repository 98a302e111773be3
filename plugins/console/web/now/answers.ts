import { company } from '../app/router.ts';

/** What is not on time, as the summary has it. */
export interface ProblemOfSummary {
  readonly kind: string;
  readonly runtemplate_id: number | null;
  readonly company_id: number | null;
  readonly count: number;
  readonly task_id: number | null;
  readonly job_id: number | null;
  readonly deadline: string | null;
  readonly since: string | null;
  readonly reason: string;
  /** When the first window after it was fulfilled, in time or late; null = none was. */
  readonly recovered_at: string | null;
  /** How many windows were fulfilled since, one after the other up to now. */
  readonly fulfilled_since: number;
  readonly name: string | null;
  readonly company: string | null;
}

export interface PauseInForce {
  readonly id: number;
  readonly runtemplate_id: number | null;
  readonly company_id: number | null;
  readonly until: string | null;
  readonly paused_by: string;
  readonly reason: string;
  readonly name: string | null;
  readonly company: string | null;
}

export interface SummaryAnswer {
  readonly owed: number;
  readonly on_time: number;
  readonly running: number;
  readonly waiting: number;
  readonly further: number;
  readonly paused: number;
  readonly pauses: readonly PauseInForce[];
  readonly problems: readonly ProblemOfSummary[];
}

export interface StartAnswer {
  readonly at: string;
  readonly runtemplate_id: number;
  readonly company_id: number;
  readonly name: string | null;
  readonly company: string | null;
  readonly deadline: string | null;
  /** In milliseconds. */
  readonly usual_duration: number | null;
}

/** How the last day went by slots, and what comes. */
export interface OutlookAnswer {
  readonly from: string;
  /** The length of a slot in milliseconds. */
  readonly slot: number;
  readonly slots: number;
  readonly counts: Readonly<Record<string, readonly number[]>>;
  readonly rest_of_day: { readonly count: number; readonly deadline: string | null };
  readonly next: readonly StartAnswer[];
}

export interface JobAnswer {
  readonly id: number;
  readonly runtemplate_id: number;
  readonly company_id: number;
  readonly task_id: number | null;
  readonly started_at: string | null;
  readonly progress: number | null;
  readonly message: string | null;
}

/** Returns the pause that keeps a template from running; null = none does. */
export function pauseHolding(
  pauses: readonly PauseInForce[],
  templateId: number | null,
  companyId: number | null,
): PauseInForce | null {
  const holds = ({ runtemplate_id, company_id }: PauseInForce) =>
    runtemplate_id === null ? company_id === null || company_id === companyId : runtemplate_id === templateId;
  return templateId === null ? null : (pauses.find(holds) ?? null);
}

/** Adds the company that the views are about to a path of the API. */
export function ofCompany(path: string): string {
  if (company.value === null) return path;
  return `${path}${path.includes('?') ? '&' : '?'}company_id=${company.value}`;
}

/** Where the view of a run is: of a Task, or of a job without one. */
export function runView({ task_id, job_id }: { readonly task_id: number | null; readonly job_id: number | null }) {
  if (task_id !== null) return `/runs/${task_id}`;
  return job_id === null ? null : `/jobs/${job_id}`;
}

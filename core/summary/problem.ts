import { Company } from '../company/company.ts';
import type { Instant } from '../loop/clock.ts';
import { readByIds } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { RunTemplate } from '../template/run-template.ts';
import { notRecovered, type Recovery } from './recovery.ts';

/** What can be wrong, the worst first. */
export const problemKinds = [
  'not_scheduled',
  'will_not_run',
  'missed',
  'failed',
  'overdue',
  'will_be_late',
  'late',
] as const;
export type ProblemKind = (typeof problemKinds)[number];

/** What each kind means, for documentation. */
export const problemMeanings: Readonly<Record<ProblemKind, string>> = {
  not_scheduled: 'windows begin, and nothing makes their Tasks',
  will_not_run: 'no live worker has the executor of a template, or no agent is there for its jobs',
  missed: 'a Task ended without an attempt',
  failed: 'a Task ended without a success that counts',
  overdue: 'the deadline of a Task has passed, and it can still be fulfilled late',
  will_be_late: 'an attempt usually takes longer than the time that is left until the deadline',
  late: 'a Task was fulfilled after its deadline',
};

/** Something that is not on time, or will not be. */
export interface SummaryProblem extends Recovery {
  readonly kind: ProblemKind;
  /** The template that it concerns; null = all. */
  readonly runtemplate_id: number | null;
  readonly company_id: number | null;
  /** How many Tasks, or templates where it names no Task. The other fields are those of the newest. */
  readonly count: number;
  readonly task_id: number | null;
  readonly job_id: number | null;
  readonly window_start: Instant | null;
  readonly deadline: Instant | null;
  /** Since when it is so; null = it lies ahead. */
  readonly since: Instant | null;
  /** Why, as a clause without a full stop. */
  readonly reason: string;
}

/** A problem with what people call its template and its company. */
export interface NamedProblem extends SummaryProblem {
  readonly name: string | null;
  readonly company: string | null;
}

/** A problem that concerns neither a Task nor a template. */
export const ofService = {
  runtemplate_id: null,
  company_id: null,
  count: 1,
  task_id: null,
  job_id: null,
  window_start: null,
  deadline: null,
  since: null,
  ...notRecovered,
} as const satisfies Partial<SummaryProblem>;

/** Adds the names of templates and companies to what refers to them. */
export async function withNames<T extends Pick<SummaryProblem, 'runtemplate_id' | 'company_id'>>(
  tables: Tables,
  found: readonly T[],
): Promise<(T & Pick<NamedProblem, 'name' | 'company'>)[]> {
  const ids = (column: 'runtemplate_id' | 'company_id') => found.flatMap((each) => each[column] ?? []);
  const [templates, companies] = await Promise.all([
    readByIds(tables, RunTemplate, ids('runtemplate_id'), ['id', 'name']),
    readByIds(tables, Company, ids('company_id'), ['id', 'name']),
  ]);
  return found.map((each) => ({
    ...each,
    name: templates.get(each.runtemplate_id ?? 0)?.name ?? null,
    company: companies.get(each.company_id ?? 0)?.name ?? null,
  }));
}

import { errorMessage } from '../../errors.ts';
import { Job, type JobRow } from '../../job/job.ts';
import type { Vault } from '../../secret/vault.ts';
import type { Change, Tables } from '../../store/store.ts';
import { maxReason } from '../../task/task.ts';
import { Event, type EventRow } from '../event.ts';
import type { MatchedEvent } from '../rule/match-rules.ts';
import { readTargets } from '../rule/rule-targets.ts';
import { jobsOfPlan } from './jobs-of-plan.ts';
import type { RulePlan } from './plan-jobs.ts';

/** What rules are fired with besides the tables. */
export interface FireContext {
  readonly vault: Vault;
  /** How many jobs of a company may wait. @default no limit */
  readonly maxQueued?: number | undefined;
  /** Called after the commit of jobs that are due. */
  onJobs?(): void;
}

/** What one transaction does for an event. */
export interface Firing extends MatchedEvent {
  /** The plans of the rules that fire now. */
  readonly plans: readonly RulePlan[];
  /** Whether these are the last ones: then the event ends. */
  readonly isLast: boolean;
  /** Why rules could not fire in the transactions before. */
  readonly problems: readonly string[];
}

/**
 * Creates the jobs of plans, and marks their events. A rule that cannot fire leaves the others alone; everything is decided
 * before anything is written, so that no event fails those beside it. The caller has locked the events, which are pending.
 * @returns why rules could not fire by now, by the ids of their events.
 */
export async function fireRules(
  tables: Tables,
  firings: readonly Firing[],
  context: FireContext,
): Promise<ReadonlyMap<number, readonly string[]>> {
  if (firings.length === 0) return new Map();
  const rules = firings.flatMap(({ plans }) => plans.map(({ rule }) => rule));
  const [targets, at] = await Promise.all([readTargets(tables, rules, context), tables.now()]);
  const jobs: Omit<JobRow, 'id'>[] = [];
  const changes: Change<EventRow>[] = [];
  const problemsOf = new Map<number, readonly string[]>();
  for (const firing of firings) {
    const { event, plans, isLast } = firing;
    const fired = [...(event.fired ?? [])];
    const problems = [...firing.problems];
    for (const plan of plans.filter(({ rule }) => !fired.includes(rule.id))) {
      try {
        jobs.push(...jobsOfPlan(event, plan, targets, { at, vault: context.vault }));
        fired.push(plan.rule.id);
      } catch (error) {
        problems.push(`EventRule ${plan.rule.id}: ${errorMessage(error)}`);
      }
    }
    problemsOf.set(event.id, problems);
    const set = { fired: fired.length > 0 ? fired : null, company_id: firing.companyId };
    changes.push({ row: event, set: isLast ? { ...set, ...outcomeOf(firing, problems) } : set });
  }
  await tables.of(Event).update(changes);
  if (jobs.length > 0) {
    await tables.of(Job).insert(jobs);
    tables.whenVisible(() => context.onJobs?.());
  }
  return problemsOf;
}

function outcomeOf({ event, isMatched }: Firing, problems: readonly string[]): Partial<EventRow> {
  const all = event.problem === null ? problems : [event.problem, ...problems];
  const unmatched = isMatched ? null : 'no enabled rule matches it';
  return {
    state: all.length > 0 ? 'set_aside' : 'done',
    reason: all.length > 0 ? all.join('; ').slice(0, maxReason) : unmatched,
    attempts: event.attempts,
    tries: 0,
    claimed_until: null,
  };
}

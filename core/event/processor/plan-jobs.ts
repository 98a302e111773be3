import { errorMessage } from '../../errors.ts';
import { yieldToEventLoop } from '../../loop/yield-to-event-loop.ts';
import type { EventRow } from '../event.ts';
import type { EventRuleRow } from '../rule/event-rule.ts';
import { PlanningBudget } from '../rule/planning-budget.ts';
import { fanOut, type JobValues, parseSelector, type Selectable, type Selected, select } from '../rule/selector.ts';
import { eventVariables } from './event-variables.ts';

/** How many jobs one rule makes of one event at most, unless the service is configured otherwise. */
export const defaultMaxFanOut = 1000;

/** What a rule makes of an event. */
export interface RulePlan {
  readonly rule: EventRuleRow;
  /** The jobs to create: one, or one for each element of the lists that its selectors find. */
  readonly jobs: readonly JobValues[];
  /** How much of the event is selected and handed on, in characters and list elements. */
  readonly size: number;
  /** Why it cannot fire; null = it can. */
  readonly problem: string | null;
}

interface Planning {
  /** How many jobs a rule may make. */
  readonly max: number;
  /** Called before each selector. @throws Error when planning has taken too long. */
  checkTime(): void;
}

/**
 * Decides what rules make of an event, without a transaction, because it may take long: it gives way between selectors.
 */
export async function planRules(
  event: EventRow,
  rules: readonly EventRuleRow[],
  from: Selectable,
  planning: Planning,
): Promise<RulePlan[]> {
  const budgets = new Map<number | null, PlanningBudget>();
  const plans: RulePlan[] = [];
  for (const rule of rules) {
    await yieldToEventLoop();
    const budget = budgets.get(rule.company_id) ?? new PlanningBudget();
    budgets.set(rule.company_id, budget);
    plans.push(await planRule(event, rule, from, { ...planning, budget }));
  }
  return plans;
}

/** The plan of a rule without selectors. */
export function plainPlan(rule: EventRuleRow): RulePlan {
  return { rule, jobs: [{}], size: 0, problem: null };
}

async function planRule(
  event: EventRow,
  rule: EventRuleRow,
  from: Selectable,
  { max, checkTime, budget }: Planning & { readonly budget: PlanningBudget },
): Promise<RulePlan> {
  const isChain = event.kind !== 'source';
  const before = budget.spent;
  const failed = (problem: string): RulePlan => ({ rule, jobs: [], size: 0, problem });
  const selected: Record<string, Selected> = {};
  for (const [variable, text] of Object.entries(rule.env_mapping)) {
    await yieldToEventLoop();
    checkTime();
    try {
      budget.spend(variable.length + text.length);
      selected[variable] = select(parseSelector(text, isChain), from, budget);
    } catch (error) {
      return failed(`${variable} by ${text}: ${errorMessage(error)}`);
    }
  }
  try {
    const jobs = fanOut(selected, max, budget);
    budget.spend(jobs.length * Object.entries(eventVariables(event)).join().length);
    return { rule, jobs, size: budget.spent - before, problem: null };
  } catch (error) {
    return failed(errorMessage(error));
  }
}

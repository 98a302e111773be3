import { errorMessage } from '../errors.ts';
import { Job, type JobRow } from '../job/job.ts';
import { newJob } from '../job/new-job.ts';
import { encryptOverride, maskOverrides } from '../job/overrides.ts';
import type { Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Vault } from '../secret/vault.ts';
import type { Change, Tables } from '../store/store.ts';
import { maxReason } from '../task/task.ts';
import { Event, type EventRow } from './event.ts';
import { type EndedJobs, type PatternMatcher, readEndedJobs, selectableOf } from './rule/ended-jobs.ts';
import type { EventRuleRow } from './rule/event-rule.ts';
import { matchingRules } from './rule/match-rules.ts';
import { type PlannedJob, planJobs } from './rule/plan-jobs.ts';
import { maxPlanned, PlanningBudget } from './rule/planning-budget.ts';
import { type RuleTarget, type RuleTargets, readTargets } from './rule/rule-targets.ts';
import type { Selectable } from './rule/selector.ts';

/** What processing events needs besides the tables. */
export interface EventContext {
  readonly vault: Vault;
  /** How many jobs of a company may wait. @default no limit */
  readonly maxQueued?: number | undefined;
  /** How many jobs one rule may make of one event. @default 1000 */
  readonly maxFanOut?: number | undefined;
  readonly matchesPattern: PatternMatcher;
  /** Called after the commit of jobs that are due. */
  onJobs?(): void;
}

/** How many jobs one rule makes of one event at most, unless the service is configured otherwise. */
export const defaultMaxFanOut = 1000;

/** What becomes of an event. */
interface Outcome {
  readonly change: Change<EventRow>;
  readonly jobs: readonly Omit<JobRow, 'id'>[];
  /** What its rules selected and handed on. */
  readonly planned: number;
}

/**
 * Fires the rules that match pending events, each once: creates their jobs and marks the events done. An event of which a
 * rule cannot fire is set aside with the reason; its other rules fire. Everything is decided before anything is written,
 * so that no event fails those beside it. The caller has locked the events, or inserted them in this transaction.
 * @returns how many it processed: where their jobs become too much for one transaction, the last ones stay pending.
 */
export async function processEvents(
  tables: Tables,
  events: readonly EventRow[],
  context: EventContext,
): Promise<number> {
  if (events.length === 0) return 0;
  const matching = await matchingRules(tables, events);
  const unfired = new Map(events.map((event) => [event, rulesToFire(event, matching.get(event) ?? [])]));
  const rules = [...new Set([...unfired.values()].flat())];
  const mapped = events.filter((event) =>
    unfired.get(event)?.some(({ env_mapping }) => Object.keys(env_mapping).length > 0),
  );
  const [targets, ended, now] = await Promise.all([
    readTargets(tables, rules, context),
    readEndedJobs(tables, mapped),
    tables.now(),
  ]);
  const outcomes: Outcome[] = [];
  let planned = 0;
  for (const event of events) {
    const outcome = await decide(event, unfired.get(event) ?? [], { targets, ended, now, context });
    outcomes.push(outcome);
    planned += outcome.planned;
    if (planned > maxPlanned) break;
  }
  const jobs = outcomes.flatMap((outcome) => outcome.jobs);
  await tables.of(Event).update(outcomes.map(({ change }) => change));
  if (jobs.length > 0) {
    await tables.of(Job).insert(jobs);
    tables.afterCommit(() => context.onJobs?.());
  }
  return outcomes.length;
}

function rulesToFire({ fired, problem }: EventRow, rules: readonly EventRuleRow[]): readonly EventRuleRow[] {
  return problem === null ? rules.filter(({ id }) => !fired?.includes(id)) : [];
}

interface Deciding {
  readonly targets: RuleTargets;
  readonly ended: EndedJobs;
  readonly now: Instant;
  readonly context: EventContext;
}

/** How much rules select and hand on between two turns of the event loop. */
const slice = 256 * 1024;

async function decide(event: EventRow, rules: readonly EventRuleRow[], deciding: Deciding): Promise<Outcome> {
  const from = selectableOf(event, deciding.ended, deciding.context.matchesPattern);
  const budgets = new Map<number | null, PlanningBudget>();
  const spent = () => [...budgets.values()].reduce((sum, budget) => sum + budget.spent, 0);
  let turnedAt = 0;
  const fired: number[] = [];
  const problems: string[] = event.problem === null ? [] : [event.problem];
  const jobs: Omit<JobRow, 'id'>[] = [];
  for (const rule of rules) {
    const budget = budgets.get(rule.company_id) ?? new PlanningBudget();
    budgets.set(rule.company_id, budget);
    try {
      jobs.push(...fire(event, rule, { ...deciding, from, budget }));
      fired.push(rule.id);
    } catch (error) {
      problems.push(`EventRule ${rule.id}: ${errorMessage(error)}`);
    }
    if (spent() - turnedAt < slice) continue;
    turnedAt = spent();
    await yieldToEventLoop();
  }
  const set: Partial<EventRow> = {
    state: problems.length > 0 ? 'set_aside' : 'done',
    reason: problems.length > 0 ? problems.join('; ').slice(0, maxReason) : null,
    attempts: event.attempts + 1,
    ...(fired.length > 0 && { fired: [...(event.fired ?? []), ...fired] }),
    ...companyOf(event, rules),
  };
  return { change: { row: event, set }, jobs, planned: spent() };
}

/** The event of a source belongs to a company while the rules of no other one have matched it. */
function companyOf(event: EventRow, rules: readonly EventRuleRow[]): Partial<EventRow> {
  if (event.kind !== 'source' || rules.length === 0) return {};
  const companies = new Set(rules.map((rule) => rule.company_id));
  if (event.fired !== null) companies.add(event.company_id);
  return { company_id: companies.size === 1 ? (rules[0] as EventRuleRow).company_id : null };
}

interface Firing extends Deciding {
  readonly from: Selectable;
  readonly budget: PlanningBudget;
}

/** @throws Error with a sentence on why the rule cannot fire. */
function fire(
  event: EventRow,
  rule: EventRuleRow,
  { targets, now, context, from, budget }: Firing,
): Omit<JobRow, 'id'>[] {
  const target = targets.targets.get(rule.runtemplate_id);
  if (!target) throw new Error(`there is no RunTemplate ${rule.runtemplate_id}`);
  const { company_id } = target.template;
  const room = targets.room.get(company_id) ?? 0;
  const max = context.maxFanOut ?? defaultMaxFanOut;
  const planned = planJobs(event, rule, target, from, { max, room, budget });
  const jobs = planned.map((plan) => jobOf(event, target, plan, now, context.vault));
  targets.room.set(company_id, room - jobs.length);
  return jobs;
}

function jobOf(
  event: EventRow,
  { template, secrets }: RuleTarget,
  { values, files }: PlannedJob,
  at: Instant,
  vault: Vault,
): Omit<JobRow, 'id'> {
  const overrides = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      secrets.has(key) ? encryptOverride(vault, template.id, key, value) : value,
    ]),
  );
  const trigger = event.kind === 'source' ? ('event' as const) : ('chain' as const);
  return {
    ...newJob(template, { taskId: null, attempt: 1, trigger, at }),
    event_id: event.id,
    overrides,
    environment: maskOverrides(overrides),
    input_files: files.length > 0 ? [...files] : null,
  };
}

import { maxPlanned } from '../rule/planning-budget.ts';
import type { Firing } from './fire-rules.ts';
import type { RulePlan } from './plan-jobs.ts';

/** How many jobs a transaction makes, unless a single rule makes more of one event. */
export const maxJobs = 500;

/** An event with all of its plans. */
interface Planned {
  readonly plans: readonly RulePlan[];
}

/** The part of an event's plans that one transaction fires. */
type Part = Pick<Firing, 'plans' | 'isLast'>;

/** How much of a batch is full. */
interface Filling {
  readonly jobs: number;
  readonly size: number;
}

const empty: Filling = { jobs: 0, size: 0 };
const add = ({ jobs, size }: Filling, plan: RulePlan) => ({ jobs: jobs + plan.jobs.length, size: size + plan.size });

/** Whether the plans of events fill a batch. */
export function fillsBatch(events: readonly Planned[]): boolean {
  const { jobs, size } = events.flatMap(({ plans }) => plans).reduce(add, empty);
  return jobs >= maxJobs || size >= maxPlanned;
}

/** Divides the plans of events into batches of not too many jobs and values, each for one transaction, in order. */
export function batchPlans<E extends Planned>(events: readonly E[]): (E & Part)[][] {
  const batches: (E & Part)[][] = [];
  let batch: (E & Part)[] = [];
  let filling = empty;
  for (const event of events) {
    let plans: RulePlan[] = [];
    for (const plan of event.plans) {
      const { jobs, size } = add(filling, plan);
      if (filling.jobs > 0 && (jobs > maxJobs || size > maxPlanned)) {
        if (plans.length > 0) batch.push({ ...event, plans, isLast: false });
        if (batch.length > 0) batches.push(batch);
        [batch, plans, filling] = [[], [], empty];
      }
      plans.push(plan);
      filling = add(filling, plan);
    }
    batch.push({ ...event, plans, isLast: true });
  }
  return batch.length > 0 ? [...batches, batch] : batches;
}

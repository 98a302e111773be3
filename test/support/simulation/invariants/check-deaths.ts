import type { SimulationResult } from '../simulation.ts';
import { maxHosts } from '../world/chaos.ts';
import type { FinalState, Findings } from './findings.ts';

const maxReservations = 3;
/** Each host may die once before it notices that another one did: such a death is not counted. */
const maxDeaths = maxReservations + maxHosts;

/** The reason of a job over which as many hosts died as had reserved it. */
export const deadlyReason = '3 workers died while they prepared it alone';

/** Checks that no job ended more hosts than it may by being prepared, and that those which did so as often have failed. */
export function checkDeaths({ jobs, now }: FinalState, { deaths }: SimulationResult, findings: Findings): void {
  for (const job of jobs) {
    const died = deaths.get(job.id) ?? 0;
    findings.check(died <= maxDeaths, () => `${died} hosts died while they prepared job ${job.id}.`);
    // Another host may die before it has written the failure.
    const endedElse = ['cancelled', 'skipped', 'lost'].includes(job.state);
    const isPostponed = job.state === 'scheduled' && job.scheduled_at > now;
    const failed = job.state === 'failed' && job.reason === deadlyReason;
    findings.check(
      job.claims <= maxReservations || endedElse || isPostponed || failed,
      () => `Job ${job.id}, which ${job.claims} hosts have reserved, is ${job.state} (${job.reason}).`,
    );
    findings.check(!failed || job.command === null, () => `Job ${job.id} failed by its claims, but was prepared.`);
  }
}

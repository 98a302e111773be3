import type { SimulationResult } from '../simulation.ts';
import type { FinalState, Findings } from './findings.ts';

const maxDeaths = 3;

/** The reason of a job over which as many hosts died. */
export const deadlyReason = 'its worker died 3 times while it was prepared';

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
      died < maxDeaths || endedElse || isPostponed || failed,
      () => `Job ${job.id}, over which ${died} hosts died, is ${job.state} (${job.reason}).`,
    );
    findings.check(!failed || job.command === null, () => `Job ${job.id} failed by its claims, but was prepared.`);
  }
}

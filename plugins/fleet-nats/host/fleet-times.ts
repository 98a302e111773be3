import type { Milliseconds } from '@horarium/core/plugin';

/** The times that hosts and agents go by. */
export interface FleetTimes {
  /** How long an agent runs its attempts after a heartbeat that the broker has acknowledged. */
  readonly lease: Milliseconds;
  /** How long the lease lasts for the hosts after a heartbeat, so that the attempts have ended by then. */
  readonly hostLease: Milliseconds;
  /** The same after a claim: its answer may come late, and what it gives is killed by the lease that the agent has then. */
  readonly claimLease: Milliseconds;
  /** How long agents run their attempts while no host lives. */
  readonly offlineGrace: Milliseconds;
  /** How many attempts one claim gives at most, so that an answer stays small. */
  readonly maxAttempts: number;
}

/** How long an agent waits for an answer. */
const answerWait: Milliseconds = 5000;
/** How long an agent may take to kill its attempts after the end of its lease. */
const killTime: Milliseconds = 3000;

export function fleetTimes(lease: Milliseconds, offlineGrace: Milliseconds): FleetTimes {
  const hostLease = lease + killTime;
  return { lease, hostLease, claimLease: hostLease + answerWait, offlineGrace, maxAttempts: 8 };
}

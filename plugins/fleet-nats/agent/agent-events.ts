import type { AttemptResult, Clock, Milliseconds } from '@horarium/core/plugin';

/** A job as an agent names it. */
export interface AgentJobStart {
  readonly job: number;
  readonly executor: string;
  /** Its template and its company, as its environment names them. */
  readonly template: string | undefined;
  readonly company: string | undefined;
}

/** How a job ended. Why is in its record alone, because an executor's reason may quote a secret, which only the hosts mask. */
export interface AgentJobEnd extends Pick<AttemptResult, 'exitCode' | 'signal' | 'timedOut'> {
  readonly job: number;
  readonly lost: boolean;
  /** Why it was asked to stop; null = it was not. */
  readonly stopReason: string | null;
}

/** Takes what happens to an agent, for its log. Reasons are the ends of sentences. */
export interface AgentEvents {
  /** A host has accepted it, for the first time. */
  joined(): void;
  hostsAway(running: number): void;
  hostsBack(): void;
  /** Its jobs were killed. */
  leaseLost(jobs: readonly number[]): void;
  /** Its jobs were stopped, because no host has shown a sign of life for that long. */
  offlineTooLong(duration: Milliseconds, jobs: readonly number[]): void;
  heartbeatFailed(reason: string): void;
  reportFailed(reason: string): void;
  claimRefused(reason: string): void;
  /** Its credential stays good for that long, and is to be renewed. */
  credentialExpires(remaining: Milliseconds): void;
  messageDropped(reason: string): void;
  /** Another process of the agent has taken over, and its jobs were killed. */
  replaced(jobs: readonly number[]): void;
  /** A host asked it to claim no further jobs. */
  drained(): void;
  /** A host asked it to claim jobs again. */
  undrained(): void;
  /** An executor is to start it. */
  jobStarted(job: AgentJobStart): void;
  jobEnded(job: AgentJobEnd): void;
  tickFailed(ticker: string, error: unknown, wait: Milliseconds): void;
}

const interval: Milliseconds = 60_000;

const expiryInterval: Milliseconds = 24 * 3_600_000;

/**
 * Passes what repeats itself on once a minute at most, the end of a credential once a day, and that it has joined
 * once.
 */
export function onceAMinute(clock: Clock, events: AgentEvents): AgentEvents {
  const limited = <T>(pass: (about: T) => void, wait = interval) => {
    let next = Number.NEGATIVE_INFINITY;
    return (about: T) => {
      if (clock.elapsed() < next) return;
      next = clock.elapsed() + wait;
      pass(about);
    };
  };
  let hasJoined = false;
  return {
    ...events,
    joined: () => {
      if (!hasJoined) events.joined();
      hasJoined = true;
    },
    heartbeatFailed: limited(events.heartbeatFailed),
    reportFailed: limited(events.reportFailed),
    claimRefused: limited(events.claimRefused),
    credentialExpires: limited(events.credentialExpires, expiryInterval),
    messageDropped: limited(events.messageDropped),
  };
}

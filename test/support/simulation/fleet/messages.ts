import type { Instant, Milliseconds } from '@horarium/core';
import type { AgentEvent, ClaimedAttempt } from '@horarium/core/plugin';

/** A claim of an agent. */
export interface ClaimAsk {
  readonly agent: string;
  readonly id: string;
  /** How many attempts it wants. */
  readonly free: number;
  /** Claims whose answers it gave up on. */
  readonly abandoned: readonly string[];
  /** The claims that it must name there: for the checks, no part of the message. */
  readonly givenUp: readonly string[];
}

export type ToAgent =
  | { readonly kind: 'attempts'; readonly id: string; readonly attempts: readonly ClaimedAttempt[] }
  | { readonly kind: 'stop'; readonly jobId: number; readonly claim: string; readonly reason: string }
  | { readonly kind: 'hosts' }
  | { readonly kind: 'work' };

/** An event of an attempt, as its agent publishes it. */
export interface PublishedReport {
  readonly agent: string;
  readonly jobId: number;
  readonly claim: string;
  readonly seq: number;
  /** The time between the event and its publication. */
  readonly age: Milliseconds;
  readonly event: AgentEvent;
}

export interface Heartbeat {
  /** The process of the agent. */
  readonly instance: number;
  readonly slots: number;
  readonly running: readonly { readonly jobId: number; readonly claim: string }[];
}

/** What the broker keeps, with the time at which it came by the clock of the broker. */
export interface Stored<T> {
  readonly seq: number;
  readonly at: Instant;
  readonly body: T;
}

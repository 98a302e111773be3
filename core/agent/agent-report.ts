import type { OutputStream } from '../executor/executor.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';

/** What an agent reports of an attempt. */
export type AgentEvent =
  /**
   * It is about to be started; an agent waits until this report cannot be lost, because an attempt of which nothing was
   * reported by the end of its lease is taken back.
   */
  | { readonly kind: 'starting' }
  | { readonly kind: 'started'; readonly pid: number | null }
  | {
      readonly kind: 'output';
      readonly stream: OutputStream;
      readonly bytes: Uint8Array;
      /** Whether the bytes are a line in the place of all further output, as in `AttemptReport`. */
      readonly cut: boolean;
    }
  | {
      readonly kind: 'progress';
      /** In percent; null = it is not known any more. */
      readonly progress: number | null;
      readonly message: string | null;
    }
  /** A file that it left. Its pieces follow. */
  | {
      readonly kind: 'file';
      readonly filename: string;
      readonly contentType: string;
      readonly size: number;
      readonly sha256: string;
    }
  /** A piece of the latest file, of 128 KiB; the last one may have less. */
  | { readonly kind: 'piece'; readonly bytes: Uint8Array }
  | {
      readonly kind: 'ended';
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly timedOut: boolean;
      /** Whether it was cut off by no fault of its own. */
      readonly lost: boolean;
      readonly reason: string | null;
      readonly peakMemory: number | null;
    };

/** One event of one attempt. */
export interface ReportedEvent {
  readonly agent: string;
  readonly jobId: number;
  /** The claim that gave the agent the attempt. */
  readonly claim: string;
  /** Counts the events of the attempt from 1. */
  readonly seq: number;
  /** When it happened, by the clock of the service. */
  readonly at: Instant;
  readonly event: AgentEvent;
}

/** How long leases of attempts last. */
export interface AttemptLeaseTimes {
  /** After the claim, whose answer may come late. */
  readonly claimed: Milliseconds;
  /** After a sign that the agent has the attempt. */
  readonly shown: Milliseconds;
}

/**
 * What became of a report: `stored`, now or before; `early`, so that it must come again after those before it; `busy`, so that it
 * must come again, because another transaction has what it changes; or `refused`, because the attempt is not the agent's any more.
 */
export type ReportOutcome = 'stored' | 'early' | 'busy' | 'refused';

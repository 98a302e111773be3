import type { Instant } from '@horarium/core';
import type { OutputStream } from '#core/executor/executor';
import type { PhysicalRun } from '../world/simulated-executor.ts';
import type { Span } from '../world/span.ts';

/** What became of an attempt on its agent, whatever the ledger says. */
export interface AttemptRecord {
  readonly agent: string;
  readonly jobId: number;
  readonly claim: string;
  readonly printed: Record<OutputStream, string>;
  /** The content of the file that it left; null = it left none. */
  file: string | null;
  /** How it ended, and when its agent saw that; null = it has not, or its agent died before. */
  end: { readonly exitCode: number | null; readonly signal: string | null; readonly at: Instant } | null;
  /** Whether its agent died before the broker had acknowledged its end. */
  hasDied: boolean;
  /** Whether the broker acknowledged all of its reports while the lease of its agent lasted. */
  isEndKept: boolean;
}

/** What really happened on all agents, for the checks. */
export class FleetRecord {
  readonly runs: PhysicalRun[] = [];
  readonly attempts: AttemptRecord[] = [];
  /** The spans in which the broker was down, or a host did not reach it. */
  readonly disconnections: Span[] = [];
  /** Ids of the jobs that hosts without the broker called lost: their reports may still lie there. */
  readonly lostUnread = new Set<number>();
  /** What was found wrong while it happened. */
  readonly violations: string[] = [];
}

import type { AgentEvent, Attempt, Fields, GivenOptions, Milliseconds } from '@horarium/core/plugin';
import type { PeerVersion } from './protocol.ts';

/** The maximum size of the `bytes` of one message: what an executor hands over is cut into pieces that long. */
export const maxPiece = 128 * 1024;

/** Agent → host, on `ask`. The id is random, and the answer repeats it. */
export type Ask = ClaimAsk | FileAsk;

/** Asks for attempts to run; its id is the claim. */
export interface ClaimAsk extends PeerVersion {
  readonly kind: 'claim';
  readonly id: string;
  /** The slots that are free. */
  readonly free: number;
  /** Claims whose answers it gave up on: nothing of them runs or ever will. */
  readonly abandoned: readonly string[];
}

/** Asks for a piece of a file that an attempt is given. */
export interface FileAsk extends PeerVersion {
  readonly kind: 'file';
  readonly id: string;
  readonly job: number;
  /** The claim of the attempt. */
  readonly claim: string;
  readonly mark: string;
  readonly offset: number;
}

/** A claim as it is sent: hosts recognise one that is repeated. */
export interface SentClaim extends ClaimAsk {
  /** The process of the agent, as in its heartbeats. */
  readonly instance: string;
  /** The number of its latest heartbeat. */
  readonly beat: number;
  /** Counts the claims of the process from 1. */
  readonly number: number;
}

export type SentAsk = SentClaim | FileAsk;

/** Host → agent, the reply to an `Ask`. */
export type Answer = AttemptsAnswer | PieceAnswer | RefusedAnswer;

export interface AttemptsAnswer {
  readonly kind: 'attempts';
  readonly id: string;
  readonly attempts: readonly AssignedAttempt[];
  /** Whether there are as many as the claim, or one answer, may bring, so that others may be due. */
  readonly more: boolean;
  /** How long the attempts live after a heartbeat. */
  readonly lease: Milliseconds;
  /** How long they may go on while no host lives. */
  readonly offlineGrace: Milliseconds;
  /** How long the credential of the agent stays good, where it is time to renew it; null = it is not. */
  readonly expiresIn: Milliseconds | null;
}

export interface PieceAnswer {
  readonly kind: 'piece';
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly last: boolean;
}

export interface RefusedAnswer {
  readonly kind: 'refused';
  readonly id: string;
  /** A sentence. */
  readonly reason: string;
  /** Whether asking again is useless. */
  readonly final: boolean;
}

/** An attempt with the executor that is to run it. */
export interface AssignedAttempt {
  readonly job: number;
  readonly claim: string;
  readonly executor: string;
  readonly attempt: AttemptDescription;
}

/** An `Attempt` of the executor, with its files by mark and size alone. */
export interface AttemptDescription extends Omit<Attempt, 'jobId' | 'files' | 'options'> {
  readonly options: GivenOptions<Fields>;
  readonly files: readonly GivenFileDescription[];
}

export interface GivenFileDescription {
  readonly mark: string;
  readonly size: number;
}

/** Agent → host, on `report`: one event of an attempt. */
export interface AgentReport {
  readonly job: number;
  readonly claim: string;
  /** Counts the events of the attempt from 1. */
  readonly seq: number;
  /** The time between the event and its publication by the agent's monotonic clock, because its wall clock may be wrong. */
  readonly age: Milliseconds;
  readonly event: ReportEvent;
}

/** An event as the core takes it, and why the agent stopped an attempt that has ended. */
export type ReportEvent = Exclude<AgentEvent, { kind: 'ended' }> | EndedEvent;

type EndedEvent = Extract<AgentEvent, { kind: 'ended' }> & {
  /** Null = it was not stopped. */
  readonly stopReason: string | null;
};

/** Agent → hosts, on `alive`. */
export interface AgentHeartbeat extends PeerVersion {
  /** Random for each process. */
  readonly instance: string;
  readonly slots: number;
  readonly labels: Readonly<Record<string, string>>;
  /** The names of the executors that it has loaded. */
  readonly executors: readonly string[];
  readonly draining: boolean;
  /** Whether it is the last one: the process ends as it was asked to. */
  readonly stopped: boolean;
  readonly running: readonly { readonly job: number; readonly claim: string }[];
}

/** A heartbeat as it is sent: hosts recognise one that is repeated. */
export interface SentHeartbeat extends AgentHeartbeat {
  /** Counts the heartbeats of the process from 1. */
  readonly beat: number;
  /** The number that the stream has given to the first heartbeat of the process; 0 = the process does not know it yet. */
  readonly first: number;
}

/** Host → agent, on `tell`. */
export type AgentOrder = StopOrder | DrainOrder | UndrainOrder | ReplacedOrder | RevokedOrder;

interface StopOrder {
  readonly kind: 'stop';
  readonly job: number;
  readonly claim: string;
  readonly reason: string;
}

interface DrainOrder {
  readonly kind: 'drain';
}

interface UndrainOrder {
  readonly kind: 'undrain';
}

/** A process of the agent that began later has taken over from this one. */
interface ReplacedOrder {
  readonly kind: 'replaced';
  /** The process that may run nothing any more. */
  readonly instance: string;
}

interface RevokedOrder {
  readonly kind: 'revoked';
  readonly reason: string;
}

/** Host → all agents, on `hosts`: its store answers. */
export interface HostsAlive extends PeerVersion {
  /** The name of the host. */
  readonly host: string;
}

import type { Instant, Milliseconds } from '@horarium/core/plugin';
import type { PublicKeys } from '../wire/keys/keys.ts';
import type { AgentHeartbeat, AgentOrder, AgentReport, Answer, Ask } from '../wire/messages/messages.ts';

/** A report that lies in the stream until a host has committed it. */
export interface ReceivedReport {
  readonly agent: string;
  readonly report: AgentReport;
  /** Its number in the stream, in which the reports of an attempt are in their order. */
  readonly number: number;
  /** When it was published, by the clock of the broker. */
  readonly at: Instant;
  /** Takes it out of the stream. */
  done(): void;
  /** Lets it come again, to this host or to another one, after that long. */
  again(after: Milliseconds): void;
}

/** Takes what agents send unasked. */
export interface AgentListener {
  /** Answers a request of an agent. An error is logged, and the request gets no answer. */
  ask(agent: string, ask: Ask): Promise<Answer>;
  /** @param at when it was published, by the clock of the broker. */
  heartbeat(agent: string, heartbeat: AgentHeartbeat, at: Instant): void;
  /** A process of an agent runs beside a later one. @param at when it was heard, by the clock of the broker. */
  earlierProcess(agent: string, instance: string, at: Instant): void;
  /** A heartbeat of an agent was not signed by the keys that it has. */
  heartbeatRefused(agent: string): void;
  /** Heartbeats may have been missed; the latest one of each agent follows, if it was not taken before. */
  heartbeatsMissed(): void;
}

/** The reports in the stream. */
export interface WaitingReports {
  readonly count: number;
  /** Null = there are none. */
  readonly oldest: { readonly number: number; readonly at: Instant } | null;
}

export interface ReportRange {
  readonly from: number;
  readonly to: number;
  readonly max: number;
}

export interface ReadReports {
  readonly reports: readonly ReceivedReport[];
  /** The number that all up to were read. */
  readonly readTo: number;
}

/**
 * PORT: the messages between hosts and agents, from the side of a host. Each message is of the agent that it names. Any of
 * them may be lost, doubled, late or out of order, but for reports that are in the stream.
 */
export interface HostBus {
  /** Whether the broker is reached. */
  readonly isConnected: boolean;
  /** The time of the broker. @throws Error when it does not answer. */
  brokerTime(): Promise<Instant>;
  /** Returns reports in the order of the stream, as soon as there are some; none where none come in time. */
  fetchReports(max: number, wait: Milliseconds): Promise<readonly ReceivedReport[]>;
  /**
   * Waits until each heartbeat was taken that the broker had acknowledged before, so that an agent without a young one is silent.
   * @returns false where that takes too long, or the broker does not answer.
   */
  catchUp(): Promise<boolean>;
  /** Returns the number in the stream of the report that was published last; 0 = none was. */
  lastReport(): Promise<number>;
  /** Returns how many reports are in the stream, and of the oldest its number, and when it was published by the clock of the broker. */
  waitingReports(): Promise<WaitingReports>;
  /** Reads reports of these numbers from the stream, in their order, as far as it keeps them, also those that were delivered. */
  readReports(range: ReportRange): Promise<ReadReports>;
  /** Returns the number in the stream up to which every report has been taken out of it. */
  settledReports(): Promise<number>;
  /** Tells the agents of a pool that there is work. */
  announceWork(pool: string): void;
  /** Tells one agent what it is to do. @param to the key of a process that has other keys than the agent. */
  tell(agent: string, order: AgentOrder, to?: Pick<PublicKeys, 'sealing'>): Promise<void>;
  /** Tells all agents that the store of this host answers. */
  announceHost(): void;
  close(): Promise<void>;
}

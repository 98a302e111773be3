import type {
  AgentHeartbeat,
  AgentOrder,
  AgentReport,
  Answer,
  ClaimAsk,
  FileAsk,
  HostsAlive,
} from '../wire/messages/messages.ts';
import type { PeerVersion } from '../wire/messages/protocol.ts';

/** A request without the version of the agent, which the link adds. */
export type AgentAsk = Omit<ClaimAsk, keyof PeerVersion> | Omit<FileAsk, keyof PeerVersion>;

/** Takes what hosts send an agent unasked. */
export interface HostListener {
  /** Tells that a pool of the agent has work. */
  work(): void;
  order(order: AgentOrder): void;
  hostsAlive(alive: HostsAlive): void;
  /** Tells that a message was dropped. @param reason what is wrong with it, as the end of a sentence. */
  dropped(reason: string): void;
}

/**
 * PORT: the messages between an agent and the hosts. Any of them may be lost, doubled, late or out of order. A promise may
 * stay pending for a message that was lost: the caller limits how long it waits, and aborts the signal then.
 */
export interface HostLink {
  /** The name that the agent joined by. */
  readonly agent: string;
  readonly pools: readonly string[];
  /** Sets what takes the messages of hosts. It is called once. */
  listen(listener: HostListener): void;
  /** Sets whether the agent wants to hear of work: one agent of each kind does, of those that want to. */
  wantWork(wanted: boolean): void;
  /** @throws Error when the request cannot be sent or nothing receives it. */
  ask(ask: AgentAsk, signal: AbortSignal): Promise<Answer>;
  /**
   * Resolves when the report is stored for the hosts. One that was stored already is stored no second time.
   * @throws Error with a sentence when it is refused, because there is no room for it, for example.
   */
  report(report: AgentReport, signal: AbortSignal): Promise<void>;
  /** Resolves when the heartbeat is stored for the hosts. @throws Error when it is refused. */
  beat(heartbeat: AgentHeartbeat, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** What a link needs to know of its agent. */
export interface LinkOptions {
  /** The version of the software. */
  readonly version: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The URLs of the NATS servers. @default those that the credential names */
  readonly servers?: readonly string[] | undefined;
  /** A file with the authorities that are trusted, in PEM; null = those that Node.js trusts. */
  readonly ca: string | null;
  /** Writes that the connection was lost or is back. */
  log(sentence: string): void;
}

/**
 * Connects an agent to its hosts.
 * @param credential as the hosts printed it.
 * @throws HorariumError `invalid` for a text that is no credential; `unavailable` when nothing answers.
 */
export type ConnectHost = (credential: string, options: LinkOptions) => Promise<HostLink>;

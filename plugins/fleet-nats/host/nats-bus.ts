import {
  type Clock,
  errorMessage,
  type Instant,
  type Milliseconds,
  Semaphore,
  yieldToEventLoop,
} from '@horarium/core/plugin';
import {
  type Consumer,
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream';
import { headers, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { DroppedMessages } from '../wire/dropped-messages.ts';
import { openMessage, sealMessage, signMessage } from '../wire/keys/envelope.ts';
import type { PrivateKeys, PublicKeys } from '../wire/keys/keys.ts';
import { partHeader, splitAnswer } from '../wire/messages/answer-parts.ts';
import {
  answerCodec,
  askCodec,
  heartbeatCodec,
  hostsAliveCodec,
  orderCodec,
  reportCodec,
} from '../wire/messages/message-shapes.ts';
import type { AgentOrder, Answer } from '../wire/messages/messages.ts';
import { type PeerVersion, ProtocolRefused } from '../wire/messages/protocol.ts';
import { connectNats, type NatsAccess } from '../wire/nats/connect-nats.ts';
import { consumeUntilSilent } from '../wire/nats/consume-until-silent.ts';
import { answering, nextStored, settleStored, storeTime } from '../wire/nats/stored-messages.ts';
import { ensureStreams, type StreamSettings } from '../wire/nats/streams.ts';
import { hostsQueue, type Subjects } from '../wire/subjects.ts';
import { WireError } from '../wire/wire-error.ts';
import type { AgentKeys } from './agent-keys.ts';
import { FreshMessages } from './fresh-messages.ts';
import { areOtherKeysUsed, keysDiffer } from './health/other-host-keys.ts';
import type { AgentListener, HostBus, ReadReports, ReceivedReport, ReportRange, WaitingReports } from './host-bus.ts';

/** How many requests of agents are answered at once, and how many wait of each and of all; agents repeat those that are dropped. */
const maxAnswering = 4;
const maxWaitingOfAgent = 32;
const maxWaiting = 2000;

const retryDelay: Milliseconds = 250;
/** How long NATS may take to store a message of a host among the heartbeats, and then to deliver what it has. */
const markLimit: Milliseconds = 2000;

export interface NatsBusOptions {
  readonly access: NatsAccess;
  readonly subjects: Subjects;
  readonly streams: StreamSettings;
  /** The keys that all hosts share. */
  readonly keys: PrivateKeys;
  readonly agentKeys: Pick<AgentKeys, 'of'>;
  readonly peer: PeerVersion & { readonly host: string };
  readonly clock: Clock;
  readonly listener: AgentListener;
  log(sentence: string): void;
}

/** The messages between hosts and agents over NATS. */
export class NatsBus implements HostBus {
  readonly #options: NatsBusOptions;
  readonly #connection: NatsConnection;
  readonly #jetstream: JetStreamClient;
  readonly #manager: JetStreamManager;
  readonly #reports: Consumer;
  readonly #dropped: DroppedMessages;
  readonly #answering = new Semaphore(maxAnswering);
  readonly #fresh = new FreshMessages();
  #isConnected = true;
  #heartbeats: ConsumerMessages | null = null;
  /** The number in the stream of the first message that says that this host is there; null = none does. */
  #joinedAt: number | null = null;
  /** The number of the latest message of the stream of heartbeats that was taken; 0 = none since they are followed. */
  #taken = 0;
  /** Called when one was taken. */
  #onTaken: () => void = () => {};

  private constructor(
    options: NatsBusOptions,
    connection: NatsConnection,
    parts: { readonly manager: JetStreamManager; readonly jetstream: JetStreamClient; readonly reports: Consumer },
  ) {
    this.#options = options;
    this.#connection = connection;
    this.#manager = parts.manager;
    this.#jetstream = parts.jetstream;
    this.#reports = parts.reports;
    this.#dropped = new DroppedMessages(options.log, () => options.clock.elapsed());
  }

  /**
   * Connects to NATS, makes its streams, and listens to agents.
   * @throws WireError where no server lets it in, or JetStream refuses.
   */
  static async open(options: NatsBusOptions): Promise<NatsBus> {
    const { access, subjects, streams } = options;
    const connection = await connectNats(access);
    try {
      await ensureStreams(connection, subjects, streams);
      const client = jetstream(connection);
      const reports = await client.consumers.get(subjects.reportsStream, subjects.reportsConsumer);
      const manager = await jetstreamManager(connection, { checkAPI: false });
      const own = options.keys.publicKeys.texts.signing;
      const { time } = await answering(storeTime(client, manager, subjects.aliveStream, subjects.hostsClock));
      // It would drop the reports that agents seal to the key of the others.
      if (await answering(areOtherKeysUsed(manager, subjects, own, time))) throw new WireError(keysDiffer);
      const bus = new NatsBus(options, connection, { manager, jetstream: client, reports });
      await bus.#listen();
      return bus;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  get isConnected(): boolean {
    return this.#isConnected && !this.#connection.isClosed();
  }

  async brokerTime(): Promise<Instant> {
    const { seq, time } = await answering(
      storeTime(this.#jetstream, this.#manager, this.#options.subjects.aliveStream, this.#ownSubject),
    );
    this.#joinedAt ??= seq;
    return time;
  }

  async fetchReports(max: number, wait: Milliseconds): Promise<readonly ReceivedReport[]> {
    const first = await this.#reports.next({ expires: wait });
    if (!first) return [];
    const messages = [first];
    if (max > 1 && first.info.pending > 0) {
      const more = await this.#reports.fetch({ max_messages: Math.min(max - 1, first.info.pending), expires: 1000 });
      for await (const message of more) messages.push(message);
    }
    const reports: ReceivedReport[] = [];
    for (const message of messages) {
      await yieldToEventLoop();
      const report = await this.#openReport(message);
      if (report) reports.push(report);
    }
    return reports;
  }

  /**
   * Follows a mark in the stream of heartbeats, because NATS may lose their consumer at any time, or have it on a server that lags
   * behind.
   */
  async catchUp(): Promise<boolean> {
    let mark: number;
    try {
      mark = (await this.#jetstream.publish(this.#ownSubject, '', { timeout: markLimit })).seq;
    } catch {
      return false;
    }
    const over = new AbortController();
    this.#onTaken = () => {
      if (this.#taken >= mark) over.abort();
    };
    this.#onTaken();
    await this.#options.clock.sleep(markLimit, over.signal);
    return this.#taken >= mark;
  }

  async lastReport(): Promise<number> {
    return (await answering(this.#manager.streams.info(this.#options.subjects.reportsStream))).state.last_seq;
  }

  async waitingReports(): Promise<WaitingReports> {
    const { state } = await answering(this.#manager.streams.info(this.#options.subjects.reportsStream));
    const oldest = { number: state.first_seq, at: Date.parse(state.first_ts) };
    return { count: state.messages, oldest: state.messages === 0 ? null : oldest };
  }

  async readReports({ from, to, max }: ReportRange): Promise<ReadReports> {
    const { subjects } = this.#options;
    const reports: ReceivedReport[] = [];
    let number = from;
    for (let count = 0; number <= to && count < max; count += 1) {
      await yieldToEventLoop();
      const message = await answering(nextStored(this.#manager, subjects.reportsStream, subjects.report('*'), number));
      if (!message || message.seq > to) return { reports, readTo: to };
      number = message.seq + 1;
      const [opened, at] = [await this.#readReport(message), message.time.getTime()];
      const done = () => settleStored(this.#connection, subjects, message.seq, at);
      if (opened) reports.push({ ...opened, number: message.seq, at, done, again: () => {} });
      else done();
    }
    return { reports, readTo: number - 1 };
  }

  async settledReports(): Promise<number> {
    const { ack_floor, delivered, num_ack_pending } = await answering(this.#reports.info());
    return (num_ack_pending === 0 ? delivered : ack_floor).stream_seq;
  }

  announceWork(pool: string): void {
    this.#publish(this.#options.subjects.work(pool), new Uint8Array());
  }

  async tell(agent: string, order: AgentOrder, other?: Pick<PublicKeys, 'sealing'>): Promise<void> {
    const { subjects, keys, agentKeys } = this.#options;
    const to = other ?? (await agentKeys.of(agent));
    const subject = subjects.tell(agent);
    if (to) this.#publish(subject, sealMessage(subject, orderCodec.encode(order), keys, to));
  }

  announceHost(): void {
    const { subjects, keys, peer } = this.#options;
    this.#publish(subjects.hosts, signMessage(subjects.hosts, hostsAliveCodec.encode(peer), keys));
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  async #listen(): Promise<void> {
    const { subjects } = this.#options;
    void this.#watchConnection();
    const callback = (error: Error | null, message: Msg) => {
      if (!error) void this.#answer(message);
    };
    this.#connection.subscribe(subjects.ask('*'), { queue: hostsQueue, callback });
    void this.#followHeartbeats();
  }

  async #watchConnection(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === 'disconnect') {
        this.#isConnected = false;
      } else if (type === 'reconnect') {
        this.#isConnected = true;
        // The server that is back need not know who consumed from the one before.
        this.#heartbeats?.stop();
      }
    }
  }

  /** Reads the latest heartbeat of each agent and those that follow, for as long as the connection is open. */
  async #followHeartbeats(): Promise<void> {
    const { subjects, clock, log } = this.#options;
    while (!this.#connection.isClosed()) {
      try {
        const deliver_policy = DeliverPolicy.LastPerSubject;
        const consumer = await this.#jetstream.consumers.get(subjects.aliveStream, { deliver_policy });
        this.#taken = 0;
        this.#options.listener.heartbeatsMissed();
        this.#heartbeats = await consumeUntilSilent(consumer);
        await this.#takeHeartbeats(this.#heartbeats);
      } catch (error) {
        if (this.isConnected) log(`heartbeats of agents cannot be read for a moment: ${errorMessage(error)}`);
      }
      await clock.sleep(retryDelay);
    }
  }

  async #takeHeartbeats(messages: ConsumerMessages): Promise<void> {
    for await (const message of messages) {
      await yieldToEventLoop();
      const agent = this.#options.subjects.agentOf(message.subject);
      if (agent === undefined) this.#lookAtHost(message);
      const opened = agent !== undefined && (await this.#open(agent, message.subject, message.data));
      if (agent !== undefined && !opened) this.#options.listener.heartbeatRefused(agent);
      else if (agent !== undefined && opened)
        await this.#dropping(() => {
          const heartbeat = heartbeatCodec.decode(opened);
          const { seq } = message;
          if (this.#fresh.isLater(agent, heartbeat, seq))
            this.#options.listener.heartbeat(agent, heartbeat, timeOf(message));
          else if (this.#fresh.isOfEarlierProcess(agent, heartbeat, seq))
            this.#options.listener.earlierProcess(agent, heartbeat.instance, timeOf(message));
        });
      this.#taken = message.seq;
      this.#onTaken();
    }
  }

  /** Tells when another host has stored that it is there by another key since this one has. */
  #lookAtHost({ subject, seq }: JsMsg): void {
    const isOther = this.#options.subjects.hostKeyOf(subject) !== undefined && subject !== this.#ownSubject;
    if (isOther && seq > (this.#joinedAt ?? Infinity)) this.#options.log(keysDiffer);
  }

  /** Where this host stores that it is there. */
  get #ownSubject(): string {
    return this.#options.subjects.hostsStored(this.#options.keys.publicKeys.texts.signing);
  }

  async #openReport(message: JsMsg): Promise<ReceivedReport | undefined> {
    const opened = await this.#readReport(message);
    if (!opened) {
      // What cannot be read will never be. Servers before 2.10.4 ignore a termination that has a reason.
      message.term();
      return undefined;
    }
    return {
      ...opened,
      number: message.seq,
      at: timeOf(message),
      done: () => message.ack(),
      again: (after) => message.nak(after),
    };
  }

  async #readReport({ subject, data }: Pick<JsMsg, 'subject' | 'data'>) {
    const agent = this.#options.subjects.agentOf(subject);
    const opened = agent === undefined ? undefined : await this.#open(agent, subject, data);
    const report = opened && (await this.#dropping(() => reportCodec.decode(opened)));
    return agent === undefined || !report ? undefined : { agent, report };
  }

  async #answer(message: Msg): Promise<void> {
    const { subjects, listener, log } = this.#options;
    const agent = subjects.agentOf(message.subject);
    const { reply } = message;
    if (agent === undefined || reply === undefined || !subjects.isInboxOf(agent, reply)) return;
    if (this.#answering.waiting >= maxWaiting || this.#answering.waitingIn(agent) >= maxWaitingOfAgent) return;
    // Agents take turns, so that one which floods hosts with requests keeps no other one waiting.
    await this.#answering.run(async () => {
      try {
        const opened = await this.#open(agent, message.subject, message.data);
        if (!opened) return;
        const answer = await this.#dropping(() => this.#answerOf(agent, opened, listener));
        if (answer) await this.#reply(agent, reply, answer);
      } catch (error) {
        log(`a request of the agent ${agent} gets no answer: ${errorMessage(error)}`);
      }
    }, agent);
  }

  async #answerOf(agent: string, opened: Uint8Array, listener: AgentListener): Promise<Answer> {
    try {
      const ask = askCodec.decode(opened);
      // A claim that may be a repeated one gets no attempts, because no agent may wait for them.
      const isCurrent = ask.kind === 'file' || this.#fresh.isCurrent(agent, ask);
      return await listener.ask(agent, isCurrent ? ask : { ...ask, free: 0 });
    } catch (error) {
      if (error instanceof ProtocolRefused && error.id !== null)
        return { kind: 'refused', id: error.id, reason: error.message, final: true };
      throw error;
    }
  }

  async #reply(agent: string, subject: string, answer: Answer): Promise<void> {
    const { keys, agentKeys } = this.#options;
    const to = await agentKeys.of(agent);
    if (!to) return;
    for (const { part, payload } of splitAnswer(sealMessage(subject, answerCodec.encode(answer), keys, to))) {
      const partHeaders = headers();
      partHeaders.set(partHeader, part);
      this.#connection.publish(subject, payload, { headers: partHeaders });
    }
  }

  /** Opens a message of an agent; undefined where it is not the agent's. */
  async #open(agent: string, subject: string, data: Uint8Array): Promise<Uint8Array | undefined> {
    const from = await this.#options.agentKeys.of(agent);
    if (!from) {
      this.#dropped.drop(`there is no agent ${agent}.`);
      return undefined;
    }
    return this.#dropping(() => openMessage(subject, data, from, this.#options.keys));
  }

  /** Runs what reads a message; what is wrong with the message is logged. */
  async #dropping<T>(read: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.#dropped.drop(error.message);
      return undefined;
    }
  }

  /** Publishes what is repeated anyway, so that a connection that is lost or closed drops it. */
  #publish(subject: string, data: Uint8Array): void {
    if (this.isConnected) this.#connection.publish(subject, data);
  }
}

function timeOf(message: JsMsg): Instant {
  return Math.floor(message.info.timestampNanos / 1e6);
}

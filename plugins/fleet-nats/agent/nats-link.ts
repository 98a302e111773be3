import { createHmac, randomBytes } from 'node:crypto';
import { type JetStreamClient, jetstream } from '@nats-io/jetstream';
import { createInbox, type Msg, type NatsConnection, type Subscription } from '@nats-io/transport-node';
import { type AgentCredential, decodeCredential } from '../wire/keys/credential.ts';
import { openMessage, sealMessage, verifyMessage } from '../wire/keys/envelope.ts';
import { AnswerParts, partHeader } from '../wire/messages/answer-parts.ts';
import {
  answerCodec,
  askCodec,
  heartbeatCodec,
  hostsAliveCodec,
  orderCodec,
  reportCodec,
} from '../wire/messages/message-shapes.ts';
import type { AgentHeartbeat, AgentReport, Answer, SentAsk } from '../wire/messages/messages.ts';
import { protocol } from '../wire/messages/protocol.ts';
import { connectNats } from '../wire/nats/connect-nats.ts';
import { serverUrl } from '../wire/nats/servers.ts';
import { publicationRefusal } from '../wire/nats/streams.ts';
import { labelsQueue, Subjects } from '../wire/subjects.ts';
import { WireError } from '../wire/wire-error.ts';
import type { AgentAsk, ConnectHost, HostLink, HostListener, LinkOptions } from './host-link.ts';

interface NatsLinkOptions extends LinkOptions {
  readonly credential: AgentCredential;
}

/** Connects the agent of a credential to its hosts over NATS. */
export const connectHost: ConnectHost = (credential, options) =>
  NatsLink.open({ ...options, credential: decodeCredential(credential) });

/** The messages between an agent and the hosts over NATS. */
export class NatsLink implements HostLink {
  readonly agent: string;
  readonly pools: readonly string[];
  readonly #options: NatsLinkOptions;
  readonly #connection: NatsConnection;
  readonly #jetstream: JetStreamClient;
  readonly #subjects: Subjects;
  #listener: HostListener | null = null;
  #work: Subscription[] = [];
  /** The process of the agent by its heartbeats, how many of them and of its claims were sent, and the number of the first stored one. */
  #instance: string | null = null;
  #beats = 0;
  #claims = 0;
  #first = 0;
  /** Nobody else can name an id of a report before the report is there, which JetStream would take for its double. */
  readonly #idKey = randomBytes(32);

  private constructor(options: NatsLinkOptions, connection: NatsConnection, subjects: Subjects) {
    const { agent, pools } = options.credential;
    this.agent = agent;
    this.pools = pools;
    this.#options = options;
    this.#connection = connection;
    this.#jetstream = jetstream(connection);
    this.#subjects = subjects;
  }

  /** Connects to NATS as the agent of a credential. @throws WireError with the reason where no server lets it in. */
  static async open(options: NatsLinkOptions): Promise<NatsLink> {
    const { agent, servers: known, prefix, keys, jwt } = options.credential;
    const servers = options.servers ?? known;
    const wrong = servers.find((server) => !serverUrl.test(server));
    if (wrong !== undefined)
      throw new WireError(`${wrong} must be the URL of a NATS server, such as tls://nats.example.com:4222.`);
    const subjects = new Subjects(prefix);
    const inbox = subjects.inbox(agent);
    const connection = await connectNats({
      name: `agent ${agent}`,
      servers,
      keys,
      jwt,
      inbox,
      tls: { ca: options.ca, certificate: null, key: null },
    });
    return new NatsLink(options, connection, subjects);
  }

  listen(listener: HostListener): void {
    this.#listener = listener;
    const { keys, hosts } = this.#options.credential;
    const tell = this.#subjects.tell(this.agent);
    this.#subscribe(tell, ({ data }) => listener.order(orderCodec.decode(openMessage(tell, data, hosts, keys))));
    const alive = this.#subjects.hosts;
    this.#subscribe(alive, ({ data }) =>
      listener.hostsAlive(hostsAliveCodec.decode(verifyMessage(alive, data, hosts))),
    );
    void this.#watchConnection();
  }

  wantWork(wanted: boolean): void {
    for (const subscription of this.#work.splice(0)) subscription.unsubscribe();
    if (!wanted) return;
    const queue = labelsQueue(this.#options.labels);
    this.#work = this.pools.map((pool) =>
      this.#connection.subscribe(this.#subjects.work(pool), {
        queue,
        callback: (error) => {
          if (!error) this.#listener?.work();
        },
      }),
    );
  }

  async ask(ask: AgentAsk, signal: AbortSignal): Promise<Answer> {
    const { keys, hosts } = this.#options.credential;
    const subject = this.#subjects.ask(this.agent);
    const reply = createInbox(this.#subjects.inbox(this.agent));
    const parts = new AnswerParts();
    const whole = Promise.withResolvers<Uint8Array>();
    const callback = (error: Error | null, message: Msg) => {
      if (error) return whole.reject(error);
      // NATS says so where no host listens.
      if (message.headers?.code === 503) return whole.reject(new Error('no host is there'));
      try {
        const answer = parts.add(message.headers?.get(partHeader) ?? '', message.data);
        if (answer) whole.resolve(answer);
      } catch (reason) {
        this.#dropped(reason);
      }
    };
    const subscription = this.#connection.subscribe(reply, { callback });
    const abort = () => whole.reject(new Error('the wait for the answer is over'));
    signal.addEventListener('abort', abort, { once: true });
    try {
      this.#connection.publish(subject, sealMessage(subject, askCodec.encode(this.#sent(ask)), keys, hosts), { reply });
      return answerCodec.decode(openMessage(reply, await whole.promise, hosts, keys));
    } finally {
      signal.removeEventListener('abort', abort);
      subscription.unsubscribe();
    }
  }

  async report(report: AgentReport): Promise<void> {
    const { job, claim, seq } = report;
    const id = createHmac('sha256', this.#idKey).update(`${claim}/${job}/${seq}`).digest('base64url');
    await this.#publish(this.#subjects.report(this.agent), reportCodec.encode(report), id);
  }

  async beat(heartbeat: AgentHeartbeat): Promise<void> {
    this.#instance = heartbeat.instance;
    // The first one brings the number that puts the next ones after those of earlier processes.
    if (this.#first === 0) await this.#beat(heartbeat);
    await this.#beat(heartbeat);
  }

  async #beat(heartbeat: AgentHeartbeat): Promise<void> {
    this.#beats += 1;
    const sent = { ...heartbeat, beat: this.#beats, first: this.#first };
    const number = await this.#publish(this.#subjects.alive(this.agent), heartbeatCodec.encode(sent));
    // A stream that was made again counts from 1.
    if (this.#first === 0 || number < this.#first) this.#first = number;
  }

  #sent(ask: AgentAsk): SentAsk {
    const { version } = this.#options;
    if (ask.kind === 'file') return { ...ask, version, protocol };
    if (this.#instance === null) throw new Error('no heartbeat was sent yet');
    this.#claims += 1;
    return { ...ask, version, protocol, instance: this.#instance, beat: this.#beats, number: this.#claims };
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  /**
   * Publishes into a stream.
   * @param id JetStream drops a second message with the same one.
   * @returns the number of the message in the stream.
   */
  async #publish(subject: string, body: Uint8Array, id?: string): Promise<number> {
    const { keys, hosts } = this.#options.credential;
    try {
      const { seq } = await this.#jetstream.publish(subject, sealMessage(subject, body, keys, hosts), {
        ...(id !== undefined && { msgID: id }),
        timeout: 5000,
      });
      return seq;
    } catch (error) {
      throw new Error(publicationRefusal(error));
    }
  }

  #subscribe(subject: string, take: (message: Msg) => void): void {
    const callback = (error: Error | null, message: Msg) => {
      if (error) return;
      try {
        take(message);
      } catch (reason) {
        this.#dropped(reason);
      }
    };
    this.#connection.subscribe(subject, { callback });
  }

  #dropped(error: unknown): void {
    if (!(error instanceof WireError)) throw error;
    this.#listener?.dropped(error.message);
  }

  async #watchConnection(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === 'disconnect') this.#options.log('the connection to NATS is lost; jobs run on until the lease ends');
      else if (type === 'reconnect') this.#options.log('NATS is reached again');
    }
  }
}

import { randomUUID } from 'node:crypto';
import { createInbox, headers, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { type AgentCredential, decodeCredential } from '../../../plugins/fleet-nats/wire/keys/credential.ts';
import { openMessage, sealMessage } from '../../../plugins/fleet-nats/wire/keys/envelope.ts';
import { AnswerParts, partHeader } from '../../../plugins/fleet-nats/wire/messages/answer-parts.ts';
import {
  answerCodec,
  askCodec,
  heartbeatCodec,
  reportCodec,
} from '../../../plugins/fleet-nats/wire/messages/message-shapes.ts';
import type {
  AgentHeartbeat,
  AgentReport,
  Answer,
  Ask,
  AssignedAttempt,
  ReportEvent,
  SentAsk,
} from '../../../plugins/fleet-nats/wire/messages/messages.ts';
import { protocol } from '../../../plugins/fleet-nats/wire/messages/protocol.ts';
import { connectNats } from '../../../plugins/fleet-nats/wire/nats/connect-nats.ts';
import { Subjects } from '../../../plugins/fleet-nats/wire/subjects.ts';
import { eventually } from '../../support/mocha/eventually.ts';

const peer = { version: '0.1.0', protocol };
const noTls = { ca: null, certificate: null, key: null };

/** An agent whose credential an attacker has, who sends what they like. */
export class TakenAgent implements AsyncDisposable {
  readonly credential: AgentCredential;
  readonly subjects: Subjects;
  readonly connection: NatsConnection;
  /** All messages that reached it. */
  readonly received: Msg[] = [];
  readonly #instance = randomUUID();
  #beats = 0;
  #claims = 0;
  readonly #sequences = new Map<AssignedAttempt, number>();

  private constructor(credential: AgentCredential, connection: NatsConnection) {
    this.credential = credential;
    this.connection = connection;
    this.subjects = new Subjects(credential.prefix);
  }

  /** Connects to NATS by its credential. @throws WireError where NATS does not let it in. */
  static async join(text: string): Promise<TakenAgent> {
    const credential = decodeCredential(text);
    const { agent, servers, keys, jwt, prefix } = credential;
    const inbox = new Subjects(prefix).inbox(agent);
    const connection = await connectNats({ name: `agent ${agent}`, servers, keys, jwt, inbox, tls: noTls });
    return new TakenAgent(credential, connection);
  }

  get name(): string {
    return this.credential.agent;
  }

  /** Listens to a subject, or to many by wildcards; a NATS with permissions refuses those of others. */
  async listen(...patterns: readonly string[]): Promise<void> {
    for (const pattern of patterns)
      this.connection.subscribe(pattern, { callback: (error, message) => void (error || this.received.push(message)) });
    await this.connection.flush();
  }

  /** Publishes any bytes on any subject. */
  publish(subject: string, payload: Uint8Array | string, options: { reply?: string; id?: string } = {}): void {
    const described = headers();
    if (options.id !== undefined) described.set('Nats-Msg-Id', options.id);
    this.connection.publish(subject, payload, {
      ...(options.reply !== undefined && { reply: options.reply }),
      ...(options.id !== undefined && { headers: described }),
    });
  }

  /** Signs and seals a body to the hosts, as the agent does. */
  seal(subject: string, body: Uint8Array): Buffer {
    const { keys, hosts } = this.credential;
    return sealMessage(subject, body, keys, hosts);
  }

  /** Sends a request, and forgets it. @param subject that of another agent, for example. */
  send(ask: Partial<Ask>, { subject = this.subjects.ask(this.name), reply = this.newInbox() } = {}): void {
    this.#claims += 1;
    const count = { instance: this.#instance, beat: this.#beats, number: this.#claims };
    const whole = { kind: 'claim', id: randomUUID(), free: 8, abandoned: [], ...count, ...peer, ...ask } as SentAsk;
    this.publish(subject, this.seal(subject, askCodec.encode(whole)), { reply });
  }

  /** Sends requests until one is answered, because hosts drop what is too much for them. */
  async ask(ask: Partial<Ask>): Promise<Answer> {
    const reply = this.newInbox();
    const parts = new AnswerParts();
    const { keys, hosts } = this.credential;
    let answer: Answer | undefined;
    const subscription = this.connection.subscribe(reply, {
      callback: (error, message) => {
        if (error || message.headers?.code === 503) return;
        const whole = parts.add(message.headers?.get(partHeader) ?? '', message.data);
        if (whole) answer = answerCodec.decode(openMessage(reply, whole, hosts, keys));
      },
    });
    this.send(ask, { reply });
    let sentAt = Date.now();
    const answered = await eventually(`hosts answer ${this.name}`, () => {
      if (!answer && Date.now() - sentAt > 5000) {
        sentAt = Date.now();
        this.send({ ...ask, id: randomUUID() }, { reply });
      }
      return answer;
    });
    subscription.unsubscribe();
    return answered;
  }

  /** Claims attempts until it gets one. */
  async claim(): Promise<AssignedAttempt> {
    return eventually(`${this.name} gets an attempt`, async () => {
      await this.beat();
      const answer = await this.ask({ kind: 'claim', free: 1 });
      return answer.kind === 'attempts' && answer.attempts[0];
    });
  }

  /** Waits until hosts have answered what was asked before. */
  async settle(): Promise<void> {
    for (let count = 0; count < 5; count += 1) await this.ask({ kind: 'claim', free: 0 });
  }

  /** Sends a heartbeat, and waits until NATS has it. */
  async beat(heartbeat: Partial<AgentHeartbeat> = {}, subject = this.subjects.alive(this.name)): Promise<void> {
    this.#beats += 1;
    const count = { instance: this.#instance, beat: this.#beats, first: 0 };
    const state = { draining: false, stopped: false, running: [] };
    const whole = { ...peer, ...count, slots: 64, labels: {}, executors: ['native'], ...state };
    const body = heartbeatCodec.encode({ ...whole, ...heartbeat });
    this.publish(subject, this.seal(subject, body));
    await this.connection.flush();
  }

  /** Reports the next event of an attempt. */
  report(attempt: AssignedAttempt, event: ReportEvent, more: Partial<AgentReport> = {}): void {
    const seq = (this.#sequences.get(attempt) ?? 0) + 1;
    if (more.seq === undefined) this.#sequences.set(attempt, seq);
    this.sendReport({ job: attempt.job, claim: attempt.claim, seq, age: 0, event, ...more });
  }

  /** Reports what no codec would let through. */
  reportAnything(report: object): void {
    const head = Buffer.from(JSON.stringify(report));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(head.length);
    const subject = this.subjects.report(this.name);
    this.publish(subject, this.seal(subject, Buffer.concat([length, head])));
  }

  /** Sends any report. @param subject that of another agent, for example. */
  sendReport(report: AgentReport, subject = this.subjects.report(this.name)): void {
    this.publish(subject, this.seal(subject, reportCodec.encode(report)));
  }

  newInbox(): string {
    return createInbox(this.subjects.inbox(this.name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.connection.close();
  }
}

/** The end of an attempt. */
export function ended(fields: Partial<Extract<ReportEvent, { kind: 'ended' }>> = {}): ReportEvent {
  const usual = { exitCode: 0, signal: null, timedOut: false, lost: false, reason: null, peakMemory: null };
  return { kind: 'ended', ...usual, stopReason: null, ...fields };
}

/** A piece of output. */
export function printed(text: string): ReportEvent {
  return { kind: 'output', stream: 'stdout', bytes: Buffer.from(text), cut: false };
}

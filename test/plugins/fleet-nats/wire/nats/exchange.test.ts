import { headers, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { expect } from 'chai';
import {
  openMessage,
  sealMessage,
  signMessage,
  verifyMessage,
} from '../../../../../plugins/fleet-nats/wire/keys/envelope.ts';
import { AnswerParts, partHeader, splitAnswer } from '../../../../../plugins/fleet-nats/wire/messages/answer-parts.ts';
import {
  answerCodec,
  askCodec,
  hostsAliveCodec,
} from '../../../../../plugins/fleet-nats/wire/messages/message-shapes.ts';
import type { Answer, SentAsk } from '../../../../../plugins/fleet-nats/wire/messages/messages.ts';
import { protocol } from '../../../../../plugins/fleet-nats/wire/messages/protocol.ts';
import { hostsQueue } from '../../../../../plugins/fleet-nats/wire/subjects.ts';
import { eventually } from '../../../../support/mocha/eventually.ts';
import { NatsFleet } from '../../../../support/nats/nats-fleet.ts';
import { natsServer } from '../../../../support/nats/test-nats.ts';

const id = '0f8fad5b-d9cb-469f-a165-70867728950e';
const sender = { version: '1.2.3', protocol, instance: id, beat: 1, number: 1 };
const ask: SentAsk = { kind: 'claim', id, free: 1, abandoned: [], ...sender };

/** An answer of several parts. */
const attempt = {
  executable: '/bin/true',
  arguments: Array.from({ length: 20 }, (_, at) => `${at}`.repeat(50_000)),
  stdin: 'a secret that the attempt reads',
  environment: {},
  timeout: null,
  options: {},
  runAs: null,
  files: [],
  image: null,
  resultFile: null,
  artifacts: [],
};
const attempts = [{ job: 1, claim: id, executor: 'native', attempt }];
const times = { lease: 10_000, offlineGrace: 900_000, expiresIn: null };
const answer: Answer = { kind: 'attempts', id, attempts, more: false, ...times };

describe('Messages through NATS (HORARIUM_TEST_NATS_SERVER)', () => {
  let fleet: NatsFleet;
  let anna: NatsConnection;
  let observer: NatsConnection;
  /** What each host received, and why it answered nothing. */
  const asked: string[] = [];
  const refused: string[] = [];

  before(async function () {
    if (natsServer === undefined) this.skip();
    fleet = await new NatsFleet({ anna: ['gpu'], berta: ['gpu'] }).start();
    [anna, observer] = await Promise.all([fleet.connectAgent('anna'), fleet.connectObserver()]);
    for (const host of await Promise.all([fleet.connectHost(), fleet.connectHost()])) await serve(host);
  });

  after(() => fleet?.close());

  async function serve(host: NatsConnection): Promise<void> {
    const callback = (_: Error | null, message: Msg) => {
      try {
        reply(host, message);
      } catch (error) {
        refused.push((error as Error).message);
      }
    };
    host.subscribe(fleet.subjects.ask('*'), { queue: hostsQueue, callback });
    await host.flush();
  }

  /** Answers as a host does: it reads who asks from the subject, and answers to that agent alone. */
  function reply(host: NatsConnection, { subject, data, reply: inbox }: Msg): void {
    const agent = fleet.subjects.agentOf(subject) as string;
    if (!fleet.subjects.isInboxOf(agent, inbox)) throw new Error(`${agent} asks for an answer on ${inbox}`);
    const keys = fleet.keysOf(agent).publicKeys;
    asked.push(askCodec.decode(openMessage(subject, data, keys, fleet.hosts)).id);
    const sealed = sealMessage(inbox as string, answerCodec.encode(answer), fleet.hosts, keys);
    for (const { part, payload } of splitAnswer(sealed)) {
      const described = headers();
      described.set(partHeader, part);
      host.publish(inbox as string, payload, { headers: described });
    }
  }

  it('bring an agent its attempts from one host, in parts, readable by nobody else', async () => {
    const seen: string[] = [];
    const everything = observer.subscribe('>', {
      callback: (_, message) => {
        seen.push(Buffer.from(message.data).toString('latin1'));
      },
    });
    await observer.flush();
    const subject = fleet.subjects.ask('anna');
    const keys = fleet.keysOf('anna');
    const question = sealMessage(subject, askCodec.encode(ask), keys, fleet.hosts.publicKeys);
    const parts = new AnswerParts();
    let count = 0;
    const messages = await anna.requestMany(subject, question, { strategy: 'timer', maxWait: 20_000 });
    for await (const { subject: inbox, data, headers: described } of messages) {
      count += 1;
      const whole = parts.add(described?.get(partHeader) ?? '', data);
      if (!whole) continue;
      const received = answerCodec.decode(openMessage(inbox, whole, fleet.hosts.publicKeys, keys));
      expect(received).to.deep.equal(answer);
      break;
    }
    expect([asked, count, refused]).to.deep.equal([[id], 3, []]);
    await observer.flush();
    everything.unsubscribe();
    expect(seen.length).to.equal(4);
    expect(seen.join()).to.not.include(attempt.stdin).and.not.include(id);
  });

  /** Publishes a question as a NATS with wrong permissions would let another agent. @returns why hosts do not answer. */
  async function refusalOf(payload: Uint8Array, inbox: string): Promise<string | undefined> {
    refused.length = 0;
    observer.publish(fleet.subjects.ask('anna'), payload, { reply: inbox });
    await eventually('a host refuses it', () => refused.length > 0);
    return refused[0];
  }

  it('of another agent in the name of this one are refused', async () => {
    const [subject, inbox] = [fleet.subjects.ask('anna'), `${fleet.subjects.inbox('anna')}.x`];
    const forged = sealMessage(subject, askCodec.encode(ask), fleet.keysOf('berta'), fleet.hosts.publicKeys);
    expect(await refusalOf(forged, inbox)).to.equal('A message is not signed by its sender for its subject.');
  });

  it('that ask for an answer elsewhere are refused', async () => {
    const subject = fleet.subjects.ask('anna');
    const question = sealMessage(subject, askCodec.encode(ask), fleet.keysOf('anna'), fleet.hosts.publicKeys);
    for (const inbox of [fleet.subjects.tell('berta'), '$JS.API.STREAM.UPDATE.HORARIUM_REPORTS'])
      expect(await refusalOf(question, inbox)).to.equal(`anna asks for an answer on ${inbox}`);
  });

  it('tell all agents that the hosts live, by a signature alone', async () => {
    const heard = anna.subscribe(fleet.subjects.hosts, { max: 1 });
    await anna.flush();
    const host = await fleet.connectHost();
    const alive = { version: '1.2.3', protocol, host: 'one' };
    host.publish(fleet.subjects.hosts, signMessage(fleet.subjects.hosts, hostsAliveCodec.encode(alive), fleet.hosts));
    for await (const { subject, data } of heard)
      expect(hostsAliveCodec.decode(verifyMessage(subject, data, fleet.hosts.publicKeys))).to.deep.equal(alive);
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConsumerMessages, jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { expect } from 'chai';
import { openMessage, sealMessage } from '../../../../../plugins/fleet-nats/wire/keys/envelope.ts';
import { reportCodec } from '../../../../../plugins/fleet-nats/wire/messages/message-shapes.ts';
import { ensureStreams, publicationRefusal } from '../../../../../plugins/fleet-nats/wire/nats/streams.ts';
import { eventually } from '../../../../support/mocha/eventually.ts';
import { rejectionOf } from '../../../../support/mocha/rejection-of.ts';
import { NatsFleet } from '../../../../support/nats/nats-fleet.ts';
import { natsServer, type TestNats } from '../../../../support/nats/test-nats.ts';

const settings = { maxReportBytes: 16 * 1024 * 1024, replicas: 1 };
const claim = '0f8fad5b-d9cb-469f-a165-70867728950e';

describe('The streams (HORARIUM_TEST_NATS_SERVER)', () => {
  let fleet: NatsFleet;
  let host: NatsConnection;
  let anna: NatsConnection;

  before(function () {
    if (natsServer === undefined) this.skip();
  });

  beforeEach(async () => {
    fleet = await new NatsFleet({ anna: ['gpu'] }).start();
    [host, anna] = await Promise.all([fleet.connectHost(), fleet.connectAgent('anna')]);
    await ensureStreams(host, fleet.subjects, settings);
  });

  afterEach(() => fleet?.close());

  function publish(payload: string | Uint8Array, msgID: string) {
    return jetstream(anna).publish(fleet.subjects.report('anna'), payload, { msgID, timeout: 2000, retries: 0 });
  }

  /** Publishes until it is acknowledged, as agents do while the server is away. */
  function publishPatiently(payload: string, msgID: string) {
    return eventually(`${msgID} is acknowledged`, () => publish(payload, msgID).catch(() => undefined));
  }

  async function consume(): Promise<ConsumerMessages> {
    const { reportsStream, reportsConsumer } = fleet.subjects;
    return (await jetstream(host).consumers.get(reportsStream, reportsConsumer)).consume();
  }

  /** Takes in and acknowledges so many reports. */
  async function take(count: number): Promise<string[]> {
    const messages = await consume();
    const taken: string[] = [];
    for await (const message of messages) {
      taken.push(message.string());
      await message.ackAck();
      if (taken.length === count) break;
    }
    return taken;
  }

  const waiting = async () => {
    const manager = await jetstreamManager(host);
    return (await manager.streams.info(fleet.subjects.reportsStream)).state.messages;
  };

  it('are created once, and brought up to date when they are there', async () => {
    await publish('first', 'a');
    await ensureStreams(host, fleet.subjects, { ...settings, maxReportBytes: 20_000_000 });
    const manager = await jetstreamManager(host);
    const { config, state } = await manager.streams.info(fleet.subjects.reportsStream);
    expect([config.max_bytes, state.messages]).to.deep.equal([20_000_000, 1]);
    expect(await take(1)).to.deep.equal(['first']);
    expect(await waiting()).to.equal(0);
  });

  it('are created by several hosts at once', async () => {
    const others = await Promise.all([1, 2, 3].map(() => fleet.connectHost()));
    const manager = await jetstreamManager(await fleet.connectObserver());
    for (const name of [fleet.subjects.reportsStream, fleet.subjects.aliveStream]) await manager.streams.delete(name);
    await Promise.all(others.map((other) => ensureStreams(other, fleet.subjects, settings)));
    await publish('first', 'a');
    expect(await take(1)).to.deep.equal(['first']);
  });

  it('keep every acknowledged report when the server is killed', async () => {
    const texts = Array.from({ length: 300 }, (_, at) => `report ${at}`);
    let killed: Promise<void> | undefined;
    for (const [at, text] of texts.entries()) {
      await publishPatiently(text, text);
      if (at === 150) killed = fleet.server.kill().then(() => fleet.server.run());
    }
    await killed;
    await fleet.server.kill();
    await fleet.server.run();
    await eventually('the host is connected again', () =>
      host.flush().then(
        () => true,
        () => false,
      ),
    );
    expect(await take(texts.length)).to.deep.equal(texts);
  });

  it('drop a report that is published twice, also after the server was killed', async () => {
    expect((await publish('once', 'a')).duplicate).to.not.equal(true);
    expect((await publish('once', 'a')).duplicate).to.equal(true);
    await fleet.server.kill();
    await fleet.server.run();
    expect((await publishPatiently('once', 'a')).duplicate).to.equal(true);
    await eventually('the host is connected again', () =>
      host.flush().then(
        () => true,
        () => false,
      ),
    );
    expect(await waiting()).to.equal(1);
  });

  it('refuse reports when they are full, lose none that they have, and take more once hosts took some in', async () => {
    await ensureStreams(host, fleet.subjects, { ...settings, maxReportBytes: 1_000_000 });
    const bytes = new Uint8Array(200_000);
    let refusal: unknown;
    let count = 0;
    while (refusal === undefined)
      await publish(bytes, `${count}`).then(
        () => {
          count += 1;
        },
        (error) => {
          refusal = error;
        },
      );
    expect(publicationRefusal(refusal)).to.equal(
      'The stream of reports is full: reports wait until hosts have taken others in, or its maximum size grows.',
    );
    expect([count, await waiting()]).to.deep.equal([4, 4]);
    await take(1);
    expect((await publish(bytes, `${count}`)).seq).to.be.greaterThan(4);
  });

  it('take the longest report, and refuse what is longer than any', async () => {
    expect((await publish(new Uint8Array(262_144 + 113), 'a')).seq).to.equal(1);
    const refusal = await rejectionOf(publish(new Uint8Array(512 * 1024), 'b'));
    expect(publicationRefusal(refusal)).to.equal(
      'NATS has not acknowledged a message: message size exceeds maximum allowed.',
    );
  });

  it('say why a report is not acknowledged while the server is away', async () => {
    await fleet.server.kill();
    expect(publicationRefusal(await rejectionOf(publish('a', 'a')))).to.match(
      /^NATS has not acknowledged a message: \S.*\.$/,
    );
  });

  it('hold nothing that can be read', async () => {
    const secret = 'a secret that a program wrote';
    const subject = fleet.subjects.report('anna');
    const event = { kind: 'output', stream: 'stdout', bytes: new Uint8Array(Buffer.from(secret)), cut: false } as const;
    const body = reportCodec.encode({ job: 7, claim, seq: 1, age: 0, event });
    const keys = fleet.keysOf('anna');
    await publish(sealMessage(subject, body, keys, fleet.hosts.publicKeys), 'sealed');
    const stored = () =>
      readdirSync(fleet.server.folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
        .join('');
    expect(stored()).to.include('horarium.report.anna').and.not.include(secret).and.not.include(claim);
    await publish(`in clear: ${secret}`, 'clear');
    expect(stored()).to.include(secret);
    for await (const message of await consume()) {
      const opened = openMessage(message.subject, message.data, keys.publicKeys, fleet.hosts);
      expect(reportCodec.decode(opened).event).to.deep.equal(event);
      break;
    }
  });

  it('give a report to another host when the first one dies before it commits', async () => {
    await publish('a report', 'a');
    const [doomed, { reportsStream, reportsConsumer }] = [await fleet.connectHost(), fleet.subjects];
    const first = await (await jetstream(doomed).consumers.get(reportsStream, reportsConsumer)).next();
    expect([first?.string(), first?.redelivered]).to.deep.equal(['a report', false]);
    await doomed.close();
    for await (const message of await consume()) {
      expect([message.string(), message.redelivered]).to.deep.equal(['a report', true]);
      break;
    }
  });

  it('keep the last heartbeat of each agent alone', async () => {
    for (const text of ['first', 'second']) await jetstream(anna).publish(fleet.subjects.alive('anna'), text);
    const manager = await jetstreamManager(host);
    const { aliveStream } = fleet.subjects;
    const last = await manager.streams.getMessage(aliveStream, { last_by_subj: fleet.subjects.alive('anna') });
    expect([last?.string(), (await manager.streams.info(aliveStream)).state.messages]).to.deep.equal(['second', 1]);
    const heartbeats = await (await jetstream(host).consumers.get(aliveStream)).consume();
    for await (const message of heartbeats) {
      expect(message.string()).to.equal('second');
      break;
    }
  });

  it('are not harmed by the subjects that an agent has its reports acknowledged on', async () => {
    await publish('a report', 'a');
    await publish('another report', 'b');
    const delivered = await host.request('$JS.API.CONSUMER.MSG.NEXT.HORARIUM_REPORTS.hosts', '{"batch": 1}', {
      timeout: 5000,
      noMux: true,
    });
    expect(delivered.reply).to.match(/^\$JS\.ACK\.HORARIUM_REPORTS\.hosts\./);
    const manager = await jetstreamManager(host);
    const { config } = await manager.streams.info('HORARIUM_REPORTS');
    const ofStreams = [
      'MSG.DELETE',
      'PURGE',
      'DELETE',
      'CREATE',
      'UPDATE',
      'LEADER.STEPDOWN',
      'PEER.REMOVE',
      'RESTORE',
      'SNAPSHOT',
    ].flatMap((call) => ['HORARIUM_REPORTS', 'HORARIUM_ALIVE', 'OTHER'].map((stream) => `STREAM.${call}.${stream}`));
    const ofConsumer = ['DELETE', 'MSG.NEXT', 'DURABLE.CREATE', 'CREATE', 'LEADER.STEPDOWN', 'PAUSE'].map(
      (call) => `CONSUMER.${call}.HORARIUM_REPORTS.hosts`,
    );
    const calls = [...ofStreams, 'CONSUMER.CREATE.HORARIUM_REPORTS', ...ofConsumer].map((call) => `$JS.API.${call}`);
    // The first acknowledgements name the numbers of the reports, which a call to delete would take.
    for (const reply of [...calls, delivered.reply as string])
      for (let time = 1; time <= 2; time += 1) anna.publish(fleet.subjects.alive('anna'), 'a heartbeat', { reply });
    await anna.flush();
    // JetStream acknowledges in order: after the last heartbeat is acknowledged, the others are.
    await jetstream(anna).publish(fleet.subjects.alive('anna'), 'the last one');
    const { config: after, state } = await manager.streams.info('HORARIUM_REPORTS');
    expect(after).to.deep.equal(config);
    expect(state.messages).to.equal(2);
    const consumer = await manager.consumers.info('HORARIUM_REPORTS', 'hosts');
    expect([consumer.num_ack_pending, consumer.num_pending]).to.deep.equal([1, 1]);
    const all = await jetstreamManager(await fleet.connectObserver());
    const names: string[] = [];
    for await (const name of all.streams.names()) names.push(name);
    expect(names.sort()).to.deep.equal(['HORARIUM_ALIVE', 'HORARIUM_REPORTS']);
    expect((await manager.streams.info('HORARIUM_ALIVE')).state.messages).to.equal(1);
  });

  it('are refused where a stream of the same name is another one', async () => {
    const manager = await jetstreamManager(await fleet.connectObserver());
    await manager.streams.delete('HORARIUM_REPORTS');
    await manager.streams.add({ name: 'HORARIUM_REPORTS', subjects: ['other'] });
    expect((await rejectionOf(ensureStreams(host, fleet.subjects, settings))).message).to.equal(
      'The stream HORARIUM_REPORTS has the retention limits instead of workqueue: it is not of Horarium, or was changed; delete it, or choose another subject_prefix.',
    );
  });

  it('are refused where another stream takes their subjects', async () => {
    const manager = await jetstreamManager(await fleet.connectObserver());
    await manager.streams.delete('HORARIUM_REPORTS');
    await manager.streams.add({ name: 'OTHER', subjects: ['horarium.report.*'] });
    expect((await rejectionOf(ensureStreams(host, fleet.subjects, settings))).message).to.equal(
      'The stream HORARIUM_REPORTS cannot be created: subjects overlap with an existing stream.',
    );
  });

  it('are refused with more replicas than servers', async () => {
    const manager = await jetstreamManager(await fleet.connectObserver());
    await manager.streams.delete('HORARIUM_REPORTS');
    expect((await rejectionOf(ensureStreams(host, fleet.subjects, { ...settings, replicas: 3 }))).message).to.match(
      /^The stream HORARIUM_REPORTS cannot be created: replicas > 1 .*\.$/,
    );
  });
});

describe('The streams of a server without JetStream (HORARIUM_TEST_NATS_SERVER)', () => {
  it('are refused in a sentence', async function () {
    if (natsServer === undefined) this.skip();
    const fleet = await new NatsFleet({}).start('jetstream: false');
    try {
      const host = await fleet.connectHost();
      expect((await rejectionOf(ensureStreams(host, fleet.subjects, settings))).message).to.match(
        /^JetStream does not answer: .*\.$/,
      );
    } finally {
      await fleet.close();
    }
  });
});

describe('The streams of a cluster of three (HORARIUM_TEST_NATS_SERVER)', () => {
  it('keep every acknowledged report, and take more, while servers are killed one after another', async function () {
    if (natsServer === undefined) this.skip();
    const fleet = await new NatsFleet({ anna: ['gpu'] }).startCluster();
    try {
      const [host, anna] = await Promise.all([fleet.connectHost(), fleet.connectAgent('anna')]);
      await eventually('the streams are there', () =>
        ensureStreams(host, fleet.subjects, { ...settings, replicas: 3 }).then(
          () => true,
          () => false,
        ),
      );
      const texts = Array.from({ length: 90 }, (_, at) => `report ${at}`);
      let restarted = Promise.resolve();
      for (const [at, text] of texts.entries()) {
        if (at % 30 === 10) {
          await restarted;
          const server = fleet.servers[Math.floor(at / 30)] as TestNats;
          await server.kill();
          restarted = restarted.then(() => server.run());
        }
        await eventually(`${text} is acknowledged`, () =>
          jetstream(anna)
            .publish(fleet.subjects.report('anna'), text, { msgID: text, timeout: 2000, retries: 0 })
            .catch(() => undefined),
        );
      }
      await restarted;
      const { reportsStream, reportsConsumer } = fleet.subjects;
      const taken = new Set<string>();
      const takeIn = async () => {
        const consumer = await jetstream(host).consumers.get(reportsStream, reportsConsumer);
        for await (const message of await consumer.fetch({ max_messages: 100, expires: 2000 })) {
          taken.add(message.string());
          message.ack();
        }
      };
      // While servers elect leaders, no consumer answers.
      await eventually('all reports are taken in', () =>
        takeIn().then(
          () => taken.size === texts.length,
          () => false,
        ),
      );
      expect([...taken].sort()).to.deep.equal([...texts].sort());
    } finally {
      await fleet.close();
    }
  });
});

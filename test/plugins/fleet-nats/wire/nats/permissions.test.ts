import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { errors, type NatsConnection } from '@nats-io/transport-node';
import { expect } from 'chai';
import { agentPermissions, authorizationBlock } from '../../../../../plugins/fleet-nats/wire/nats/permissions.ts';
import { ensureStreams } from '../../../../../plugins/fleet-nats/wire/nats/streams.ts';
import { Subjects } from '../../../../../plugins/fleet-nats/wire/subjects.ts';
import { rejectionOf } from '../../../../support/mocha/rejection-of.ts';
import { NatsFleet } from '../../../../support/nats/nats-fleet.ts';
import { natsServer } from '../../../../support/nats/test-nats.ts';

describe('The permissions', () => {
  it('are written as the configuration of nats-server', () => {
    const permissions = agentPermissions(new Subjects('horarium'), 'anna', ['gpu', 'big']);
    expect(authorizationBlock([{ name: 'anna', nkey: 'UABC', permissions }])).to.equal(
      [
        'authorization {',
        '  users: [',
        '    # anna',
        '    {',
        '      nkey: UABC',
        '      permissions: {',
        '        publish: { allow: ["horarium.ask.anna", "horarium.report.anna", "horarium.alive.anna"] }',
        '        subscribe: { allow: ["_INBOX_horarium.agent.anna.>", "horarium.tell.anna", "horarium.hosts", "horarium.work.gpu", "horarium.work.big"] }',
        '      }',
        '    }',
        '  ]',
        '}',
        '',
      ].join('\n'),
    );
  });
});

describe('The permissions of an agent (HORARIUM_TEST_NATS_SERVER)', () => {
  let fleet: NatsFleet;
  let host: NatsConnection;
  let observer: NatsConnection;
  let anna: NatsConnection;
  const refusals: { readonly operation: string; readonly subject: string }[] = [];

  before(async function () {
    if (natsServer === undefined) this.skip();
    fleet = await new NatsFleet({ anna: ['gpu'], 'anna-2': ['gpu'], berta: ['cpu'], hosts: ['cpu'] }).start();
    [host, observer, anna] = await Promise.all([
      fleet.connectHost(),
      fleet.connectObserver(),
      fleet.connectAgent('anna'),
    ]);
    await ensureStreams(host, fleet.subjects, { maxReportBytes: 1_000_000, replicas: 1 });
    void collectRefusals();
  });

  after(() => fleet?.close());

  async function collectRefusals(): Promise<void> {
    for await (const status of anna.status())
      if (status.type === 'error' && status.error instanceof errors.PermissionViolationError)
        refusals.push({ operation: status.error.operation, subject: status.error.subject });
  }

  /** What the observer receives of a subject while something is done. */
  async function observed(subject: string, act: () => Promise<void>): Promise<string[]> {
    const subscription = observer.subscribe(subject);
    await observer.flush();
    await act();
    await observer.flush();
    await subscription.drain();
    const received: string[] = [];
    for await (const message of subscription) received.push(message.string());
    return received;
  }

  const publish = (subject: string) => async () => {
    anna.publish(subject, 'from anna');
    await anna.flush();
  };

  for (const subject of ['horarium.ask.anna', 'horarium.report.anna', 'horarium.alive.anna'])
    it(`let it publish ${subject}`, async () => {
      expect(await observed(subject, publish(subject))).to.deep.equal(['from anna']);
    });

  for (const subject of [
    'horarium.ask.berta',
    'horarium.ask.anna-2',
    'horarium.report.berta',
    'horarium.alive.berta',
    'horarium.tell.anna',
    'horarium.tell.berta',
    'horarium.hosts',
    'horarium.work.gpu',
    'horarium.other',
    '_INBOX_horarium.agent.anna.x',
    '_INBOX_horarium.agent.berta.x',
    '_INBOX_horarium.hosts.x',
    '_INBOX.x',
    '$JS.API.INFO',
    '$JS.API.STREAM.LIST',
    '$JS.API.STREAM.INFO.HORARIUM_REPORTS',
    '$JS.API.STREAM.MSG.GET.HORARIUM_REPORTS',
    '$JS.API.STREAM.DELETE.HORARIUM_REPORTS',
    '$JS.API.STREAM.PURGE.HORARIUM_REPORTS',
    '$JS.API.STREAM.CREATE.OTHER',
    '$JS.API.DIRECT.GET.HORARIUM_ALIVE.horarium.alive.berta',
    '$JS.API.CONSUMER.CREATE.HORARIUM_REPORTS',
    '$JS.API.CONSUMER.DURABLE.CREATE.HORARIUM_REPORTS.mine',
    '$JS.API.CONSUMER.MSG.NEXT.HORARIUM_REPORTS.hosts',
    '$JS.API.CONSUMER.DELETE.HORARIUM_REPORTS.hosts',
    '$JS.ACK.HORARIUM_REPORTS.hosts.1.1.1.1.1',
    '$SYS.REQ.USER.INFO',
    'anything',
  ])
    it(`do not let it publish ${subject}`, async () => {
      expect(await observed(subject, publish(subject))).to.deep.equal([]);
      expect(refusals).to.deep.include({ operation: 'publish', subject });
    });

  /** What anna receives by a subscription, of what the observer publishes. */
  async function received(pattern: string, subject: string): Promise<string[]> {
    const texts: string[] = [];
    const subscription = anna.subscribe(pattern, {
      callback: (error, message) => {
        if (!error) texts.push(message.string());
      },
    });
    await anna.flush();
    observer.publish(subject, 'for a receiver');
    await observer.flush();
    await anna.flush();
    subscription.unsubscribe();
    return texts;
  }

  for (const [pattern, subject] of [
    ['_INBOX_horarium.agent.anna.x', '_INBOX_horarium.agent.anna.x'],
    ['_INBOX_horarium.agent.anna.>', '_INBOX_horarium.agent.anna.x.y'],
    ['horarium.tell.anna', 'horarium.tell.anna'],
    ['horarium.hosts', 'horarium.hosts'],
    ['horarium.work.gpu', 'horarium.work.gpu'],
  ] as const)
    it(`let it subscribe ${pattern}`, async () => {
      expect(await received(pattern, subject)).to.deep.equal(['for a receiver']);
    });

  for (const [pattern, subject] of [
    ['>', 'horarium.tell.berta'],
    ['horarium.>', 'horarium.tell.berta'],
    ['horarium.*.berta', 'horarium.tell.berta'],
    ['horarium.tell.*', 'horarium.tell.berta'],
    ['horarium.tell.berta', 'horarium.tell.berta'],
    ['horarium.tell.anna-2', 'horarium.tell.anna-2'],
    ['horarium.ask.*', 'horarium.ask.berta'],
    ['horarium.ask.anna', 'horarium.ask.anna'],
    ['horarium.report.berta', 'horarium.report.berta'],
    ['horarium.alive.berta', 'horarium.alive.berta'],
    ['horarium.work.cpu', 'horarium.work.cpu'],
    ['horarium.work.*', 'horarium.work.cpu'],
    ['_INBOX.>', '_INBOX.x'],
    ['_INBOX_horarium.>', '_INBOX_horarium.hosts.x'],
    ['_INBOX_horarium.hosts.>', '_INBOX_horarium.hosts.x'],
    ['_INBOX_horarium.agent.*.x', '_INBOX_horarium.agent.berta.x'],
    ['_INBOX_horarium.agent.berta.>', '_INBOX_horarium.agent.berta.x'],
    ['_INBOX_horarium.agent.hosts.>', '_INBOX_horarium.agent.hosts.x'],
    ['_INBOX_horarium.agent.anna-2.>', '_INBOX_horarium.agent.anna-2.x'],
    ['$JS.EVENT.>', '$JS.EVENT.x'],
    ['$SYS.>', '$SYS.x'],
  ] as const)
    it(`do not let it subscribe ${pattern}`, async () => {
      expect(await received(pattern, subject)).to.deep.equal([]);
      expect(refusals).to.deep.include({ operation: 'subscription', subject: pattern });
    });

  it('let it publish into the stream of reports, which acknowledges, and do not let it read the streams', async () => {
    const { stream } = await jetstream(anna).publish(fleet.subjects.report('anna'), 'a report');
    expect(stream).to.equal('HORARIUM_REPORTS');
    expect((await rejectionOf(jetstreamManager(anna))).message).to.include('Permissions Violation');
    const manager = await jetstreamManager(anna, { checkAPI: false });
    for (const name of ['HORARIUM_REPORTS', 'HORARIUM_ALIVE'])
      expect((await rejectionOf(manager.streams.getMessage(name, { seq: 1 }))).message).to.include(
        'Permissions Violation',
      );
  });

  it('let hosts answer a request of an agent, and read what agents published', async () => {
    const subscription = host.subscribe(fleet.subjects.ask('*'), {
      queue: 'hosts',
      callback: (_, message) => {
        message.respond(`to ${message.subject}`);
      },
    });
    await host.flush();
    const answer = await anna.request(fleet.subjects.ask('anna'), 'a question');
    subscription.unsubscribe();
    expect(answer.string()).to.equal('to horarium.ask.anna');
    const manager = await jetstreamManager(host);
    const alive = await manager.streams.getMessage(fleet.subjects.aliveStream, {
      last_by_subj: fleet.subjects.alive('anna'),
    });
    expect(alive?.string()).to.equal('from anna');
  });

  it('do not let hosts delete what the service has, nor touch what is not of the service', async () => {
    const manager = await jetstreamManager(host);
    for (const refused of [manager.streams.delete('HORARIUM_REPORTS'), manager.streams.purge('HORARIUM_ALIVE')])
      expect((await rejectionOf(refused)).message).to.include('Permissions Violation');
    const other = manager.streams.add({ name: 'OTHER', subjects: ['other.*'] });
    expect((await rejectionOf(other)).message).to.include('Permissions Violation');
    const found: string[] = [];
    const subscription = host.subscribe('other.>', {
      callback: (error) => {
        found.push(error?.message ?? 'received');
      },
    });
    await host.flush();
    expect(found.join()).to.include('Permissions Violation');
    subscription.unsubscribe();
  });
});

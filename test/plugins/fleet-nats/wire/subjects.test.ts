import { expect } from 'chai';
import fc from 'fast-check';
import { fleetName, labelsQueue, Subjects } from '../../../../plugins/fleet-nats/wire/subjects.ts';

describe('The subjects', () => {
  const subjects = new Subjects('horarium');
  const name = fc.stringMatching(fleetName);

  it('name the agent that they are of', () => {
    fc.assert(
      fc.property(name, (agent) => {
        for (const subject of [subjects.ask(agent), subjects.report(agent), subjects.alive(agent)])
          expect(subjects.agentOf(subject)).to.equal(agent);
        expect(subjects.agentOf(subjects.tell(agent))).to.equal(undefined);
      }),
    );
  });

  for (const subject of [
    '',
    'horarium',
    'horarium.ask',
    'horarium.ask.',
    'horarium.ask.a.b',
    'other.ask.a',
    'horarium.ask.*',
    'horarium.ask.A',
  ])
    it(`are of no agent: ${JSON.stringify(subject)}`, () => {
      expect(subjects.agentOf(subject)).to.equal(undefined);
    });

  it('are answered in the inboxes of the agent that asks alone', () => {
    const { ask, ...replies } = {
      ask: subjects.isInboxOf('anna', `${subjects.inbox('anna')}.x.y`),
      none: subjects.isInboxOf('anna', undefined),
      other: subjects.isInboxOf('anna', `${subjects.inbox('anna-2')}.x`),
      hosts: subjects.isInboxOf('anna', `${subjects.hostsInbox}.x`),
      api: subjects.isInboxOf('anna', '$JS.API.STREAM.DELETE.HORARIUM_REPORTS'),
    };
    expect(ask).to.equal(true);
    expect(Object.values(replies)).to.deep.equal([false, false, false, false]);
  });

  it('are others under another prefix, as are the streams', () => {
    const other = new Subjects('test');
    expect([other.ask('a'), other.hosts, other.inbox('a'), other.hostsInbox]).to.deep.equal([
      'test.ask.a',
      'test.hosts',
      '_INBOX_test.agent.a',
      '_INBOX_test.hosts',
    ]);
    expect([other.reportsStream, other.aliveStream]).to.deep.equal(['TEST_REPORTS', 'TEST_ALIVE']);
  });
});

describe('The queue group of labels', () => {
  it('is the same in any order of the labels, and another for other labels', () => {
    const labels = fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true });
    fc.assert(
      fc.property(labels, labels, (one, other) => {
        const turned = Object.fromEntries(Object.entries(one).reverse());
        expect(labelsQueue(turned))
          .to.equal(labelsQueue(one))
          .and.match(/^[0-9a-f]{32}$/);
        const sorted = (given: object) => JSON.stringify(Object.entries(given).sort(([a], [b]) => (a < b ? -1 : 1)));
        expect(labelsQueue(one) === labelsQueue(other)).to.equal(sorted(one) === sorted(other));
      }),
    );
  });
});

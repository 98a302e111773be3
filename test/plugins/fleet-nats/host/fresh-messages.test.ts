import { expect } from 'chai';
import { FreshMessages } from '../../../../plugins/fleet-nats/host/fresh-messages.ts';
import type { SentClaim, SentHeartbeat } from '../../../../plugins/fleet-nats/wire/messages/messages.ts';

const peer = { version: '1.2.3', protocol: 1 };

function heartbeat(instance: string, beat: number, first: number): SentHeartbeat {
  return {
    ...peer,
    instance,
    beat,
    first,
    slots: 1,
    labels: {},
    executors: [],
    draining: false,
    stopped: false,
    running: [],
  };
}

function claim(instance: string, beat: number, number: number): SentClaim {
  return { kind: 'claim', ...peer, id: `${instance}-${number}`, free: 1, abandoned: [], instance, beat, number };
}

describe('Messages of an agent', () => {
  let fresh: FreshMessages;
  /** The number of the latest message in the stream. */
  let number: number;
  beforeEach(() => {
    fresh = new FreshMessages();
    number = 10;
  });

  const beats = (instance: string, beat: number, first: number) => {
    number += 1;
    return fresh.isLater('anna', heartbeat(instance, beat, first), number);
  };

  it('count once, and only in their order', () => {
    expect([beats('a', 1, 0), beats('a', 2, 11), beats('a', 2, 11), beats('a', 1, 0), beats('a', 3, 11)]).to.deep.equal(
      [true, true, false, false, true],
    );
  });

  it('count as those of a later process from the second on, after which those of the earlier one count no more', () => {
    expect([beats('a', 1, 0), beats('a', 2, 11)]).to.deep.equal([true, true]);
    expect([beats('b', 1, 0), beats('b', 2, 13)]).to.deep.equal([false, true]);
    expect([beats('a', 3, 11), beats('a', 2, 11), beats('b', 3, 13)]).to.deep.equal([false, false, true]);
  });

  it('count where the host knows of no process yet, and give way to those of a later one', () => {
    number = 100;
    expect([beats('a', 7, 50), beats('b', 3, 99), beats('a', 8, 51)]).to.deep.equal([true, true, false]);
  });

  it('of a process that began earlier do not count again, however they alternate, and show that it runs on', () => {
    const first = { a: 11, b: 12 };
    expect([beats('a', 1, 0), beats('b', 1, 0)]).to.deep.equal([true, false]);
    expect([beats('a', 2, first.a), beats('b', 2, first.b)]).to.deep.equal([true, true]);
    for (let beat = 3; beat < 6; beat += 1) {
      expect(beats('a', beat, first.a)).to.equal(false);
      expect(fresh.isOfEarlierProcess('anna', heartbeat('a', beat, first.a), number)).to.equal(true);
      expect(beats('b', beat, first.b)).to.equal(true);
    }
    expect(fresh.isOfEarlierProcess('anna', heartbeat('b', 5, first.b), number + 1)).to.equal(false);
    expect(fresh.isOfEarlierProcess('anna', heartbeat('c', 1, 0), number + 1)).to.equal(false);
    expect(fresh.isOfEarlierProcess('anna', heartbeat('a', 3, first.a), number - 4)).to.equal(false);
  });

  it('do not count with a number of the stream that is still to come', () => {
    expect(beats('a', 1, 12)).to.equal(false);
  });

  it('count in a stream that was made again, which counts from 1', () => {
    expect(beats('a', 5, 9)).to.equal(true);
    number = 0;
    expect([beats('a', 6, 9), beats('a', 7, 1), beats('a', 8, 2)]).to.deep.equal([false, true, true]);
  });

  it('of other agents are their own', () => {
    expect([
      fresh.isLater('anna', heartbeat('a', 5, 4), 5),
      fresh.isLater('berta', heartbeat('a', 1, 0), 6),
    ]).to.deep.equal([true, true]);
  });

  it('claim once, in their order, and for the process that sent the latest heartbeat', () => {
    expect(fresh.isCurrent('anna', claim('a', 1, 1))).to.equal(false);
    beats('a', 1, 0);
    expect([claim('a', 1, 1), claim('a', 1, 1), claim('a', 1, 3), claim('a', 1, 2)].map(isCurrent)).to.deep.equal([
      true,
      false,
      true,
      false,
    ]);
    beats('b', 1, 11);
    expect([claim('a', 1, 4), claim('b', 1, 1)].map(isCurrent)).to.deep.equal([false, true]);
  });

  it('do not claim once several heartbeats have come since', () => {
    for (let beat = 1; beat <= 6; beat += 1) beats('a', beat, 9 + beat);
    expect([claim('a', 2, 1), claim('a', 3, 2)].map(isCurrent)).to.deep.equal([false, true]);
  });

  const isCurrent = (each: SentClaim) => fresh.isCurrent('anna', each);
});

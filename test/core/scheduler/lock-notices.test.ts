import { expect } from 'chai';
import { LockNotices } from '#core/scheduler/lock-notices';

const second = 1000;

/** Meets a locked record each second. @returns the seconds at which it was told of. */
function toldAt(notices: LockNotices, from: number, until: number, record = 'Company 7'): number[] {
  const times: number[] = [];
  for (let at = from; at <= until; at += 1) if (notices.meet(record, at * second) !== undefined) times.push(at);
  return times;
}

describe('The notices of locked records', () => {
  it('tell nothing of a lock that lasts less than five seconds', () => {
    expect(toldAt(new LockNotices(), 0, 4)).to.deep.equal([]);
  });

  it('tell of a lock that lasts, once a minute, and how long it has been held', () => {
    const notices = new LockNotices();
    expect(toldAt(notices, 0, 130)).to.deep.equal([5, 65, 125]);
    expect(notices.meet('Company 7', 185 * second)).to.equal(undefined);
    const other = new LockNotices();
    other.meet('App 2', 0);
    expect(other.meet('App 2', 7 * second)).to.match(/^another transaction has locked App 2 for 7 s/);
  });

  it('begin again for a record that was not locked meanwhile', () => {
    const notices = new LockNotices();
    expect(toldAt(notices, 0, 5)).to.deep.equal([5]);
    expect(toldAt(notices, 30, 40)).to.deep.equal([35]);
  });

  it('tell of each record by itself', () => {
    const notices = new LockNotices();
    expect(toldAt(notices, 0, 5)).to.deep.equal([5]);
    expect(toldAt(notices, 0, 5, 'Company 8')).to.deep.equal([5]);
  });
});

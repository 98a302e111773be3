import { systemClock } from '@horarium/core';
import { expect } from 'chai';
import { logAuditHeads } from '../../../host/serve/log-audit-heads.ts';
import { BreakableStore } from '../../support/store/breakable-store.ts';
import { AuditWorld } from '../../support/worlds/audit-world.ts';

describe('The head of the audit log', () => {
  it('is logged every hour until the service stops, also after an hour in which the store did not answer', async () => {
    const { store: memory } = new AuditWorld();
    const store = new BreakableStore(memory);
    const world = new AuditWorld({ store });
    await world.writeSealed(2);
    const stopping = new AbortController();
    const logged: unknown[] = [];
    const slept: number[] = [];
    const hours = [
      async () => undefined,
      async () => {
        store.broken = true;
      },
      async () => {
        store.broken = false;
        await world.writeSealed(1);
      },
      async () => stopping.abort(),
    ];
    const sleep = async (duration: number) => {
      slept.push(duration);
      await hours[slept.length - 1]?.();
    };
    const lines = {
      auditHead: (seq: number, hash: string) => void logged.push({ seq, hash }),
      tickFailed: (tick: string) => void logged.push(tick),
    };
    await logAuditHeads({ clock: { ...systemClock, sleep }, store: world.audited }, lines, stopping.signal);
    const hashes = (await world.entries()).map(({ hash }) => hash);
    expect(logged).to.deep.equal([{ seq: 2, hash: hashes[1] }, 'note of the audit head', { seq: 3, hash: hashes[2] }]);
    expect(slept).to.deep.equal([1, 1, 1, 1].map((hour) => hour * 3_600_000));
  });
});

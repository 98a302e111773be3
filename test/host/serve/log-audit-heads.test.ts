import fs from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { allTables, systemClock, Topic, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import sinon from 'sinon';
import { newRow } from '#core/store/table';
import { openSqliteStore } from '../../../adapters/mikro-orm/dialects/sqlite/store.ts';
import { logAuditHeads } from '../../../host/serve/log-audit-heads.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';
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

  it('is logged once the disk has it, so that no power failure cuts off what a stored log proves', async () => {
    const folder = temporaryFolder('sqlite');
    await using store = await openSqliteStore({
      file: join(folder, 'a.sqlite'),
      tables: allTables,
      clock: systemClock,
    });
    await store.schema.create();
    const world = new AuditWorld({ store });
    const insert = newRow(Topic, { name: 'a' });
    const options = { durable: false, seals: true };
    await world.audited.transaction(trustedActor('anna'), (tables) => tables.of(Topic).insert([insert]), options);
    const flush = sinon.stub(fs, 'fdatasync');
    try {
      const stopping = new AbortController();
      const logged: number[] = [];
      const lines = { auditHead: (seq: number) => void logged.push(seq), tickFailed: () => undefined };
      let hours = 0;
      const sleep = async () => {
        if (++hours === 2) stopping.abort();
      };
      const logging = logAuditHeads({ clock: { ...systemClock, sleep }, store: world.audited }, lines, stopping.signal);
      await Promise.race([logging, eventually('a flush has begun', () => flush.callCount === 1)]);
      expect(logged).to.deep.equal([]);
      flush.firstCall.callback?.(null);
      await logging;
      expect(logged).to.deep.equal([1]);
    } finally {
      flush.restore();
      await rm(folder, { recursive: true });
    }
  });
});

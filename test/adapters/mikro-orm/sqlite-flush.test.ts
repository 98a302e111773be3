import fs, { readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Tables } from '@horarium/core';
import { StandingClock } from '@horarium/core/contracts';
import { expect } from 'chai';
import sinon from 'sinon';
import { Counter, sampleTables } from '#core/contracts/store/samples';
import { openSqliteStore } from '../../../adapters/mikro-orm/dialects/sqlite/store.ts';
import type { SqlStore } from '../../../adapters/mikro-orm/sql-store.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';

describe('A commit of the SQLite store', () => {
  /** Ends the flushes that have begun. */
  let flushes: ((error: Error | null) => void)[];
  let folder: string;
  let file: string;
  let store: SqlStore;

  beforeEach(async () => {
    folder = temporaryFolder('sqlite');
    file = join(folder, 'a.sqlite');
    store = await open();
    await store.schema.create();
    flushes = [];
    sinon.stub(fs, 'fdatasync').callsFake((descriptor, end) => {
      expect(readlinkSync(`/proc/self/fd/${descriptor}`)).to.equal(`${file}-wal`);
      flushes.push(end);
    });
  });
  afterEach(async () => {
    sinon.restore();
    for (const end of flushes) end(null);
    await store.close();
    rmSync(folder, { recursive: true });
  });

  const open = (synchronous?: 'normal') =>
    openSqliteStore({ file, tables: sampleTables, clock: new StandingClock(), ...(synchronous && { synchronous }) });
  const insert = (name: string) => (tables: Tables) => tables.of(Counter).insert([{ name, value: 0 }]);
  const count = () => store.transaction((tables) => tables.of(Counter).count(), { readOnly: true });
  const begun = (number: number) => eventually(`flush ${number} has begun`, () => flushes.length === number);

  it('ends once the disk has it, as a read does that has seen it; one flush is for all that wait', async () => {
    const ended: string[] = [];
    const noting = (name: string, end: Promise<unknown>) => end.then(() => ended.push(name));
    const lazy = (name: string) => noting('lazy', store.transaction(insert(name), { durable: false }));
    const first = noting('first', store.transaction(insert('a')));
    await begun(1);
    await lazy('b');
    const later = ['c', 'd', 'e'].map((name) => noting('later', store.transaction(insert(name))));
    flushes[0]?.(null);
    await first;
    await begun(2);
    const read = noting('read', count());
    await lazy('f');
    expect(ended).to.deep.equal(['lazy', 'first', 'lazy']);
    flushes[1]?.(null);
    await Promise.all([...later, read]);
    expect([await count(), flushes.length]).to.deep.equal([6, 2]);
  });

  it('ends once the disk has what it saw, though it wrote nothing', async () => {
    const first = store.transaction(insert('a'));
    await begun(1);
    let hasEnded = false;
    const second = store
      .transaction((tables) => tables.of(Counter).count())
      .then(() => {
        hasEnded = true;
      });
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    expect(hasEnded).to.equal(false);
    flushes[0]?.(null);
    await Promise.all([first, second]);
    expect(flushes).to.have.length(1);
  });

  it('ends once the disk has what was committed without it before', async () => {
    await store.transaction(insert('a'), { durable: false });
    const second = store.transaction((tables) => tables.of(Counter).count());
    await begun(1);
    flushes[0]?.(null);
    await second;
    await store.transaction((tables) => tables.of(Counter).count());
    expect(flushes).to.have.length(1);
  });

  it('fails where the disk does, as all that follow do until the store is opened again', async () => {
    const first = store.transaction(insert('a'));
    await begun(1);
    const second = store.transaction(insert('b'));
    flushes[0]?.(new Error('EIO: i/o error'));
    for (const end of [first, second, store.transaction(insert('c')), count()])
      expect(await rejectionOf(end))
        .to.include({ code: 'unavailable' })
        .and.match(/EIO: i\/o error/);
    expect(flushes).to.have.length(1);
  });

  it('waits for no disk where it has written nothing, or need not', async () => {
    await store.transaction((tables) => tables.of(Counter).count());
    await store.transaction(insert('a'), { durable: false });
    await using normal = await open('normal');
    await normal.transaction(insert('b'));
    expect(flushes).to.deep.equal([]);
  });
});

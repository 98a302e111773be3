import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Tables } from '@horarium/core';
import { StandingClock } from '@horarium/core/contracts';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import fc from 'fast-check';
import { Counter, SampleRecord, sample, sampleTables } from '#core/contracts/store/samples';
import { Setting } from '#core/store/setting';
import { newRow } from '#core/store/table';
import { openSqliteStore } from '../../../adapters/mikro-orm/dialects/sqlite/store.ts';
import { defineStoreTests } from '../../contracts/store.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';
import { openShop } from '../../support/store/shop-orm.ts';

const clock = new StandingClock();
const open = (file: string, more: { busyTimeout?: number } = {}) =>
  openSqliteStore({ file, tables: sampleTables, clock, synchronous: 'normal', ...more });

defineStoreTests('The SQLite store', async () => {
  const folder = temporaryFolder('sqlite');
  const store = await open(join(folder, 'a.sqlite'));
  await store.schema.create();
  return {
    store,
    clock,
    close: async () => {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
});

describe('The SQLite store', () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = temporaryFolder('sqlite');
    file = join(folder, 'a.sqlite');
    const store = await open(file);
    await store.schema.create();
    await store.transaction((tables) => tables.of(Counter).insert([{ name: 'n', value: 0 }]));
    await store.close();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is created with incremental auto-vacuum', async () => {
    const handle = new Database(file, { readonly: true });
    expect(handle.pragma('auto_vacuum', { simple: true })).to.equal(2);
    handle.close();
  });

  it('gives the pages of deleted rows back, some at a time, and keeps a few for new rows', async () => {
    await using store = await open(file);
    const pages = () => {
      const handle = new Database(file, { readonly: true });
      const count = handle.pragma('page_count', { simple: true });
      handle.close();
      return Number(count);
    };
    const rows = Array.from({ length: 4000 }, () => sample({ label: 'x'.repeat(4000) }));
    await store.transaction((tables) => tables.of(SampleRecord).insert(rows));
    const full = pages();
    expect(await store.releaseSpace()).to.equal(false);
    await store.transaction((tables) => tables.of(SampleRecord).purge([]));
    expect(pages()).to.equal(full);
    let steps = 1;
    while (await store.releaseSpace()) steps += 1;
    await store.checkpoint();
    expect(steps).to.be.greaterThan(10);
    expect(pages()).to.be.within(1024, 1300);
  });

  it('moves what was written into the file by a checkpoint, while the process goes on', async () => {
    await using store = await open(file);
    await store.transaction((tables) => tables.of(Counter).insert([{ name: 'm', value: 0 }]));
    const countersIn = (copy: string) => {
      copyFileSync(file, copy);
      const handle = new Database(copy);
      const rows = handle.prepare(`select "name" from ${Counter.table} order by "name"`).pluck().all();
      handle.close();
      return rows;
    };
    expect(countersIn(join(folder, 'before.sqlite'))).to.not.include('m');
    const checkpoint = store.checkpoint();
    const own = store.transaction((tables) => tables.of(Counter).insert([{ name: 'l', value: 0 }]));
    await Promise.all([checkpoint, own, store.checkpoint()]);
    await store.checkpoint();
    expect(countersIn(join(folder, 'after.sqlite'))).to.deep.equal(['l', 'm', 'n']);
  });

  it('rejects a checkpoint of a file that was moved', async () => {
    await using store = await open(file);
    await store.checkpoint();
    renameSync(file, join(folder, 'moved.sqlite'));
    expect(await rejectionOf(store.checkpoint())).to.match(/moved, deleted or replaced/);
  });

  it('shortens its write-ahead log by parts, once a reader has ended for whose snapshot it has grown', async () => {
    await using store = await open(file);
    await using other = await open(file);
    const logSize = () => statSync(`${file}-wal`).size;
    const kept = 64 * 1024 * 1024;
    await other.transaction(
      async (tables) => {
        await tables.of(SampleRecord).count();
        for (let written = 0; written < 120; written += 20) {
          const rows = Array.from({ length: 20 }, () => sample({ label: 'x'.repeat(1_000_000) }));
          await store.transaction((tables) => tables.of(SampleRecord).insert(rows));
        }
        expect(logSize()).to.be.above(1.5 * kept);
        expect(await store.releaseSpace()).to.equal(false);
      },
      { readOnly: true },
    );
    // The snapshot ends with the turn of the event loop.
    await nextTurn();
    let steps = 0;
    while (await store.releaseSpace()) steps += 1;
    expect(steps).to.be.within(2, 3);
    expect(logSize()).to.be.within(1, kept);
    expect(await store.transaction((tables) => tables.of(SampleRecord).count())).to.equal(120);
  });

  it('is migrated after an attempt that could not begin because another process wrote', async () => {
    const fresh = join(folder, 'fresh.sqlite');
    const store = await open(fresh, { busyTimeout: 30 });
    const writer = new Database(fresh);
    try {
      writer.prepare('begin immediate').run();
      expect(await rejectionOf(store.schema.migrate())).to.have.property('code', 'unavailable');
      writer.prepare('rollback').run();
      expect(await store.schema.migrate()).to.have.length.above(0);
    } finally {
      writer.close();
      await store.close();
    }
  });

  it('commits a writer together with the one that it has called back', async () => {
    const store = await open(file);
    try {
      const { promise: second, resolve } = Promise.withResolvers<void>();
      const add = (by: number) => (tables: Tables) => tables.of(Counter).updateWhere([], {}, { value: by });
      await store.transaction(async (tables) => {
        await add(1)(tables);
        tables.whenVisible(() => resolve(store.transaction(add(10)).then(() => undefined)));
      });
      // Only a writer that joined has ended by now: a transaction of its own would still have to begin.
      const handle = new Database(file, { readonly: true });
      expect(handle.prepare('select value from horarium_counter').pluck().all()).to.deep.equal([11]);
      handle.close();
      await second;
    } finally {
      await store.close();
    }
  });

  it('reads what another process has committed, also right after a reader whose snapshot is shared', async () => {
    const store = await open(file);
    const other = new Database(file);
    try {
      const read = () =>
        store.transaction((tables) => tables.of(Counter).find(), { readOnly: true }).then(([row]) => row?.value);
      const first = await read();
      other.prepare('update horarium_counter set value = 7').run();
      const committed = performance.now();
      // Blocks the event loop, so that its turn does not end: no answer arrives from another process sooner.
      while (performance.now() - committed < 1);
      expect([first, await read()]).to.deep.equal([0, 7]);
    } finally {
      other.close();
      await store.close();
    }
  });

  it('reads settings as they were committed, also right after readers that shared a snapshot', async () => {
    const store = await openSqliteStore({ file: join(folder, 'settings'), tables: [Setting], clock });
    try {
      await store.schema.create();
      const read = () => store.transaction((tables) => tables.setting('clock'), { readOnly: true });
      const before = Promise.all([read(), read()]);
      const row = newRow(Setting, { name: 'clock', value: 'new' });
      const after = store.transaction((tables) => tables.of(Setting).insert([row])).then(read);
      expect([await before, await after]).to.deep.equal([[null, null], 'new']);
    } finally {
      await store.close();
    }
  });

  it('loses no increment of three processes on one file', async () => {
    const program = fileURLToPath(new URL('./increment.js', import.meta.url));
    const store = await open(file);
    const others = [1, 2].map(() => fork(program, [file, '150']));
    const ended = others.map((other) => once(other, 'exit'));
    for (let at = 0; at < 150; at += 1)
      await store.transaction(async (tables) => {
        const [row] = await tables.of(Counter).find();
        if (row) await tables.of(Counter).update([{ row, set: { value: row.value + 1 } }]);
      });
    expect((await Promise.all(ended)).map(([code]) => code)).to.deep.equal([0, 0]);
    const [row] = await store.transaction((tables) => tables.of(Counter).find());
    expect(row?.value).to.equal(450);
    await store.close();
  });

  it('is unavailable while another process locks the file, and works again afterwards', async () => {
    const [holder, other] = [await open(file), await open(file, { busyTimeout: 30 })];
    await holder.transaction(async (tables) => {
      await tables.of(Counter).count();
      expect(await other.transaction((others) => others.of(Counter).count(), { readOnly: true })).to.equal(1);
      const refusal = await rejectionOf(other.transaction((others) => others.of(SampleRecord).insert([sample()])));
      expect(refusal).to.have.property('code', 'unavailable');
      expect(refusal.message).to.match(/locked by another process/);
    });
    await other.transaction((tables) => tables.of(SampleRecord).insert([sample()]));
    await Promise.all([holder.close(), other.close()]);
  });

  it('is unavailable while its file is moved, deleted or replaced', async () => {
    const store = await open(file);
    const add = () => store.transaction((tables) => tables.of(SampleRecord).insert([sample()]));
    const read = () => store.transaction((tables) => tables.of(SampleRecord).count(), { readOnly: true });
    const aside = join(folder, 'aside');
    renameSync(file, aside);
    for (const work of [add, read]) {
      const refusal = await rejectionOf(work());
      expect(refusal).to.have.property('code', 'unavailable');
      expect(refusal.message).to.match(/a\.sqlite cannot be used: it was moved, deleted or replaced/);
    }
    writeFileSync(file, '');
    expect(await rejectionOf(add())).to.have.property('code', 'unavailable');
    renameSync(aside, file);
    await add();
    expect(await read()).to.equal(1);
    await store.close();
  });

  it('commits concurrent writers together and rolls back only the one that fails', async () => {
    const [store, other] = [await open(file), await open(file)];
    const names = Array.from({ length: 9 }, (_, index) => `c${index}`);
    const written = names.map((name) =>
      store.transaction(async (tables) => {
        await tables.of(Counter).insert([{ name, value: 0 }]);
        expect(await tables.of(Counter).count([['name', 'in', names]])).to.be.above(0);
        if (name === 'c4') throw new Error('changed its mind');
      }),
    );
    const read = store.transaction((tables) => tables.of(Counter).count(), { readOnly: true });
    const ended = Promise.allSettled(written);
    await written[0];
    const seen = await other.transaction((tables) => tables.of(Counter).find({ order: [['name', 'asc']] }));
    const kept = names.filter((name) => name !== 'c4');
    expect(seen.map(({ name }) => name)).to.deep.equal([...kept, 'n']);
    expect((await ended).map(({ status }) => status === 'fulfilled')).to.deep.equal(names.map((name) => name !== 'c4'));
    expect((await rejectionOf(written[4] as Promise<void>)).message).to.equal('changed its mind');
    // A reader sees all of it or nothing.
    expect(await read).to.be.oneOf([1, 9]);
    await Promise.all([store.close(), other.close()]);
  });

  it('shows others what a writer wrote once it resolves, and nothing of one that rejects, whatever writers do at once', async () => {
    const store = await open(file);
    const other = new Database(file, { readonly: true });
    const counting = other.prepare(`select count(*) from ${Counter.table} where name = ?`).pluck();
    let made = 0;
    const way = fc.constantFrom('commits', 'rejects', 'violates', 'violates and catches');
    const writer = fc.record({ way, turns: fc.nat(2), pause: fc.nat(2) });
    const write = ({ way, turns, pause }: { way: string; turns: number; pause: number }, name: string) =>
      store.transaction(async (tables) => {
        await tables.of(Counter).insert([{ name, value: 0 }]);
        for (let turn = 0; turn < turns; turn += 1) await nextTurn();
        if (way === 'rejects') throw new Error('changed its mind');
        const again = way.startsWith('violates') ? tables.of(Counter).insert([{ name: 'n', value: pause }]) : null;
        await (way === 'violates and catches' ? again?.catch(() => undefined) : again);
      });
    const property = fc.asyncProperty(fc.array(writer, { minLength: 1, maxLength: 8 }), async (writers) => {
      const ends = writers.map(async (each) => {
        const name = `w${++made}`;
        for (let turn = 0; turn < each.pause; turn += 1) await nextTurn();
        const isCommitted = await write(each, name).then(
          () => true,
          () => false,
        );
        expect([isCommitted, counting.get(name)]).to.deep.equal(each.way === 'commits' ? [true, 1] : [false, 0]);
      });
      await Promise.all(ends);
    });
    await fc.assert(property, { numRuns: 40 });
    other.close();
    await store.close();
  });

  it('rejects a nested transaction, which would wait for itself', async () => {
    const store = await open(file);
    let later: Promise<number> | undefined;
    await store.transaction(async (tables) => {
      tables.afterCommit(() => {
        later = store.transaction((others) => others.of(Counter).count());
      });
      expect(await rejectionOf(store.transaction((others) => others.of(Counter).count()))).to.match(/wait for itself/);
    });
    expect(await later).to.equal(1);
    await store.close();
  });

  it('runs a transaction while an application has one open in a database of its own', async () => {
    const shop = await openShop(`sqlite:${join(folder, 'shop.sqlite')}`);
    const store = await open(file);
    const count = () => store.transaction((tables) => tables.of(Counter).count());
    expect(await shop.em.fork().transactional(count)).to.equal(1);
    await Promise.all([store.close(), shop.close()]);
  });

  it('names the file and the reason when it cannot be opened', async () => {
    writeFileSync(
      join(folder, 'text'),
      'This is not a database, but it is long enough to be looked at as one. '.repeat(50),
    );
    mkdirSync(join(folder, 'folder'));
    for (const [path, words] of [
      ['text', /text cannot be used: it is not a SQLite database/],
      ['folder', /folder cannot be used: it cannot be opened/],
      ['text/a.sqlite', /a\.sqlite cannot be used: it cannot be opened/],
    ] as const) {
      const refusal = await rejectionOf(open(join(folder, path)));
      expect(refusal).to.have.property('code', 'unavailable');
      expect(refusal.message).to.match(words);
    }
  });

  it('rejects writes on a full disk, keeps what is committed, and goes on once there is space', async function () {
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk], { stdio: 'ignore' });
    } catch {
      // Only the system's administrator may make a small disk.
      this.skip();
    }
    try {
      const store = await open(join(disk, 'a.sqlite'));
      await store.schema.create();
      await store.transaction((tables) => tables.of(SampleRecord).insert([sample({ code: 'kept' })]));
      writeFileSync(join(disk, 'ballast'), new Uint8Array(500_000));
      const fill = () =>
        store.transaction((tables) =>
          tables.of(SampleRecord).insert([sample({ label: 'x'.repeat(900_000), code: 'large' })]),
        );
      const refusal = await rejectionOf(fill());
      expect(refusal).to.have.property('code', 'unavailable');
      expect(refusal.message).to.match(/no space left/);
      expect(await store.transaction((tables) => tables.of(SampleRecord).count(), { readOnly: true })).to.equal(1);
      rmSync(join(disk, 'ballast'));
      await store.transaction((tables) => tables.of(SampleRecord).insert([sample({ code: 'after' })]));
      expect(await store.transaction((tables) => tables.of(SampleRecord).count())).to.equal(2);
      await store.close();
    } finally {
      execFileSync('umount', [disk]);
    }
  });
});

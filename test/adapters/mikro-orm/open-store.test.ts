import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StandingClock } from '@horarium/core/contracts';
import { expect } from 'chai';
import { Counter, sampleTables } from '#core/contracts/store/samples';
import type { OpenedStore } from '../../../adapters/mikro-orm/database.ts';
import { ormDatabases } from '../../../adapters/mikro-orm/databases.ts';
import { openStore } from '../../../adapters/mikro-orm/open-store.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';
import { databaseKinds } from '../../support/store/test-databases.ts';
import { createDatabase, dropDatabase } from '../../support/store/test-postgres.ts';

describe('openStore', () => {
  const open = (url: string) => openStore({ url, tables: sampleTables, clock: new StandingClock() });
  const use = (store: OpenedStore) => store.transaction((tables) => tables.of(Counter).count());

  it('opens a store in memory by its URL, which has no migrations', async () => {
    const store = await open('memory:');
    expect([store.kind, store.schema]).to.deep.equal(['memory', undefined]);
  });

  for (const { kind } of ormDatabases)
    it(`opens a ${kind} store by its URL`, async () => {
      const { url, drop } = await databaseKinds[kind].create();
      const store = await open(url);
      expect([store.kind, await store.schema?.pending()]).to.deep.equal([kind, await store.schema?.migrate()]);
      await store[Symbol.asyncDispose]();
      expect(await rejectionOf(use(store))).to.be.an('error');
      await drop();
    });

  it('opens a SQLite file by a path that is relative to a folder, and no URL', async () => {
    const folder = temporaryFolder('open');
    for (const [url, file] of [
      ['sqlite:a b?.sqlite', 'a b?.sqlite'],
      ['sqlite://c.sqlite', 'c.sqlite'],
    ] as const) {
      const store = await openStore({ url, folder });
      expect(existsSync(join(folder, file)), file).to.equal(true);
      await store.close();
    }
    rmSync(folder, { recursive: true });
  });

  it('rejects a URL of another form without repeating it', async () => {
    for (const url of [
      'mysql://root:secret@localhost/x',
      'postgres://u:secret@host',
      'sqlite:',
      'sqlite::memory:',
      'memory:x',
      'secret',
      '',
    ]) {
      const refusal = await rejectionOf(open(url));
      expect(refusal).to.have.property('code', 'invalid');
      expect(refusal.message).to.match(/must be sqlite:PATH, postgres:/);
      expect(refusal.message).not.to.contain('secret');
    }
  });

  it('names the host and database it cannot reach, but not the password', async () => {
    const good = await createDatabase();
    const change = (how: (url: URL) => void) => {
      const url = new URL(good);
      how(url);
      return url.href;
    };
    const cases: [string, RegExp][] = [
      [change((url) => (url.pathname = '/nothing')), /database nothing\) has no such database/],
      [change((url) => (url.password = 'hunter2hunter2')), /refuses the user or its password/],
      [change((url) => (url.username = 'nobody')), /refuses the user or its password/],
      [change((url) => (url.port = '1')), /127\.0\.0\.1:1 .*does not answer/],
      [change((url) => (url.hostname = 'nowhere.invalid')), /nowhere\.invalid:\d+ .*does not answer/],
    ];
    for (const [url, words] of cases) {
      const opened = await open(url);
      for (const refusal of [
        await rejectionOf(use(opened)),
        await rejectionOf(Promise.resolve(opened.schema?.migrate())),
      ]) {
        expect(refusal).to.have.property('code', 'unavailable');
        expect(refusal.message).to.match(words);
        expect(refusal.message).not.to.contain(new URL(url).password);
      }
      await opened.close();
    }
    await dropDatabase(good);
  });
});

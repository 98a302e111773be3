import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { StandingClock } from '@horarium/core/contracts';
import { expect } from 'chai';
import { Counter, sampleTables } from '#core/contracts/store/samples';
import type { OpenedStore } from '../../../adapters/mikro-orm/database.ts';
import { openStore } from '../../../adapters/mikro-orm/open-store.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';
import { createDatabase, dropDatabase } from '../../support/store/test-postgres.ts';

describe('openStore', () => {
  const open = (url: string) => openStore({ url, tables: sampleTables, clock: new StandingClock() });
  const use = (store: OpenedStore) => store.transaction((tables) => tables.of(Counter).count());

  it('opens a store of each kind by its URL', async () => {
    const folder = temporaryFolder('open');
    const database = await createDatabase();
    const urls = { memory: 'memory:', sqlite: `sqlite:${join(folder, 'a b?.sqlite')}`, postgresql: database };
    for (const [kind, url] of Object.entries(urls)) {
      const store = await open(url);
      expect(store.kind).to.equal(kind);
      if (kind === 'memory') expect(store.schema).to.equal(undefined);
      else expect(await store.schema?.pending()).to.be.an('array');
      await store[Symbol.asyncDispose]();
      if (kind !== 'memory') expect(await rejectionOf(use(store))).to.be.an('error');
    }
    await dropDatabase(database);
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

import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { allTables } from '@horarium/core';
import { openSqliteStore } from '../../../adapters/mikro-orm/dialects/sqlite/store.ts';
import { VirtualTime } from '../../support/clocks/virtual-time.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';
import { defineSeedTests } from '../../support/simulation/seeds.ts';
import { withAuditTripwire } from '../../support/store/audit-tripwire.ts';

describe('The service simulated in virtual time on SQLite', () => {
  const folder = temporaryFolder('simulation');
  const empty = join(folder, 'empty.sqlite');
  let stores = 0;
  const open = (file: string, time: VirtualTime) =>
    openSqliteStore({ file, tables: allTables, clock: time.storeClock, synchronous: 'normal' });

  before(async () => {
    const store = await open(empty, new VirtualTime(0));
    await store.schema.migrate();
    await store.close();
  });

  after(() => rm(folder, { recursive: true }));

  defineSeedTests(import.meta.filename, [41, 60], {
    scale: 0.4,
    async openStore(time) {
      const file = join(folder, `${++stores}.sqlite`);
      await copyFile(empty, file);
      return withAuditTripwire(await open(file, time));
    },
  });
});

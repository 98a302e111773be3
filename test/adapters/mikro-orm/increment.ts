import { StandingClock } from '@horarium/core/contracts';
import { Counter, sampleTables } from '#core/contracts/store/samples';
import { openSqliteStore } from '../../../adapters/mikro-orm/dialects/sqlite/store.ts';

/** A process of its own that increments a counter, one transaction at a time: `increment FILE TIMES`. */
const [file, times] = process.argv.slice(2) as [string, string];
const store = await openSqliteStore({ file, tables: sampleTables, clock: new StandingClock(), synchronous: 'normal' });
for (let at = 0; at < Number(times); at += 1)
  await store.transaction(async (tables) => {
    const [row] = await tables.of(Counter).find();
    if (!row) throw new Error('The counter was deleted.');
    await tables.of(Counter).update([{ row, set: { value: row.value + 1 } }]);
  });
await store.close();
process.disconnect();

import { setImmediate as turn } from 'node:timers/promises';
import { AuditLog, allTables, Company, Credential, systemClock, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { timeSlice, yieldToEventLoop } from '#core/loop/yield-to-event-loop';
import { newRow } from '#core/store/table';
import { openSqliteStore } from '../../../adapters/mikro-orm/dialects/sqlite/store.ts';
import { inSingleSteps } from '../../support/clocks/single-steps.ts';
import { MemoryCore } from '../../support/worlds/memory-core.ts';

/** Runs loops whose steps take that long by a faked clock. @returns the loops that made a step in each turn. */
async function turnsOf(loops: readonly { name: string; steps: number; lane?: 'bulk' }[], duration: number) {
  // The slice of this turn ends first, because it began by the real clock.
  await turn();
  await turn();
  const { now } = performance;
  const slice = timeSlice.duration;
  let time = 0;
  performance.now = () => time;
  timeSlice.duration = 10;
  const turns: string[] = [''];
  const count = () => {
    turns.push('');
    waiting = setImmediate(count);
  };
  let waiting = setImmediate(count);
  try {
    await Promise.all(
      loops.map(async ({ name, steps, lane }) => {
        for (let step = 0; step < steps; step += 1) {
          await yieldToEventLoop(lane);
          time += duration;
          turns[turns.length - 1] += name;
        }
      }),
    );
    return turns.filter((names) => names !== '');
  } finally {
    clearImmediate(waiting);
    timeSlice.duration = slice;
    performance.now = now;
  }
}

describe('Loops of one process', () => {
  it('share a slice of time in each turn of the event loop, and each goes on in a turn of its own', async () => {
    expect(await turnsOf([{ name: 'a', steps: 7 }], 4)).to.deep.equal(['aaa', 'aaa', 'a']);
    const many = ['a', 'b', 'c'].map((name) => ({ name, steps: 3 }));
    expect(await turnsOf(many, 4)).to.deep.equal(['abcab', 'cc', 'a', 'b']);
    expect(await turnsOf(many, 20)).to.deep.equal(['abc', 'a', 'b', 'c', 'a', 'b', 'c']);
  });

  it('write long lists when nothing else waits, and now and then all the same', async () => {
    const loops = [
      { name: 'L', steps: 3, lane: 'bulk' as const },
      { name: 'w', steps: 20 },
    ];
    const turns = (await turnsOf(loops, 20)).join('');
    expect(turns.replaceAll('L', '')).to.equal('w'.repeat(20));
    expect(turns.indexOf('L', 1)).to.be.within(2, 10);
    expect(turns).to.match(/^Lw*Lw{4,}Lw*$/);
  });
});

describe('Work on many rows', () => {
  const actor = trustedActor('test');
  const rows = 120;

  it('gives way for each of them, in transactions of SQLite too', async () => {
    const options = { file: ':memory:', tables: allTables, clock: systemClock, synchronous: 'normal' } as const;
    await using store = await openSqliteStore(options);
    await store.schema.create();
    const core = new MemoryCore({ store });
    const { id } = await core.records(Company).save(actor, { code: 'acme', name: 'Acme' });
    const credentials = Array.from({ length: rows }, (_, n) =>
      newRow(Credential, { company_id: id, name: `credential ${n}`, values: {} }),
    );
    const work: Readonly<Record<string, () => Promise<unknown>>> = {
      'an insert': () => core.store.transaction(actor, (tables) => tables.of(Credential).insert(credentials)),
      'a list': () => core.records(AuditLog).list(actor, { limit: rows }),
      'a rotation of the vault': () => core.rotateVault(actor),
      'a cascade': () => core.records(Company).delete(actor, id, { cascade: true }),
    };
    const few: Readonly<Record<string, number>> = { 'a list': rows / 8, 'a rotation of the vault': 1 };
    for (const [name, run] of Object.entries(work)) {
      const { turns } = await inSingleSteps(run);
      expect(turns, name).to.be.at.least(few[name] ?? rows);
    }
    expect((await core.verifyAudit()).problem).to.equal(null);
  });
});

import { AuditLog } from '@horarium/core';
import { expect } from 'chai';
import { memoryArchive } from '../../support/store/memory-archive.ts';
import { EmbeddingWorld } from './embedding-world.ts';

const day = 86_400_000;
const hour = 3_600_000;

describe('A core that keeps its audit log for some days', () => {
  /** Starts a core some days after it has written an entry. @returns how many entries the store and the archive have. */
  async function entriesAfter(days: number, auditDays: number) {
    const world = new EmbeddingWorld();
    const segments = new Map<string, string[]>();
    const archived: number[] = [];
    const core = world.core({ auditArchive: memoryArchive(segments), retention: { auditDays } });
    await core.topics.save(core.actor('test'), { name: 'Old' });
    await world.time.pass(days * day);
    await core.start();
    await world.time.pass(hour + 2 * 60_000);
    await world.during(core.stop());
    const stored = await world.store.transaction((tables) => tables.of(AuditLog).count(), { readOnly: true });
    archived.push(...[...segments.values()].map((lines) => lines.length));
    const { problem } = await core.verifyAudit();
    return { stored, archived, problem };
  }

  it('moves what is a day older than that to its archive while it runs, and goes on proving it', async () => {
    expect(await entriesAfter(32, 30)).to.deep.equal({ stored: 0, archived: [1], problem: null });
  });

  it('leaves younger entries in its store, and all where that is a hundred years', async () => {
    expect(await entriesAfter(30, 30)).to.deep.equal({ stored: 1, archived: [], problem: null });
    expect(await entriesAfter(40_000, 36_500)).to.deep.equal({ stored: 1, archived: [], problem: null });
  });
});

import { AuditLog, type Store, Topic, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { AuditArchiving } from '#core/audit/archive/audit-archiving';
import { AuditSpan } from '#core/audit/audit-span';
import { overrideTables } from '#core/store/override-tables';
import { newRow } from '#core/store/table';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { testHmac } from '../../support/secrets/test-hmac.ts';
import { memoryArchive } from '../../support/store/memory-archive.ts';
import { type OpenedStore, storeKinds } from '../../support/store/store-kinds.ts';
import { AuditWorld } from '../../support/worlds/audit-world.ts';

const day = 86_400_000;
const segment = 'audit-000000000001.jsonl';

for (const [kind, open] of Object.entries(storeKinds))
  describe(`The archive of the audit log in ${kind}`, () => {
    let opened: OpenedStore;
    let world: AuditWorld;
    let segments: Map<string, string[]>;

    beforeEach(async () => {
      opened = await open();
      world = new AuditWorld({ store: opened.store });
      segments = new Map();
    });
    afterEach(() => opened.close());

    const verify = (archive: Map<string, string[]> | null = segments) =>
      world.verify(undefined, archive && memoryArchive(archive));
    const archive = () => world.archive(memoryArchive(segments));

    it('takes sealed entries out of the store, with their spans, and the log stays proved', async () => {
      await world.writeJobs(trustedActor('the service'), 3);
      await world.writeSealed(450);
      await world.write(2);
      const { head } = await verify();
      expect(await archive()).to.equal(head.seq);
      expect((await world.entries()).map(({ seq }) => seq)).to.deep.equal([null, null]);
      expect(await opened.store.transaction((tables) => tables.of(AuditSpan).count())).to.equal(0);
      expect([...segments.keys()]).to.deep.equal([segment]);
      const { seq: archived } = head;
      const intact = { problem: null, open: 2, archived, head };
      expect(await verify()).to.deep.include({ ...intact, checked: head.seq });
      expect(await verify(null)).to.deep.include({ ...intact, checked: 0 });
      await world.seal();
      expect(await verify()).to.deep.include({ problem: null, open: 0, checked: head.seq + 2 });
      expect(await archive()).to.equal(2);
      expect([...segments.keys()]).to.have.length(2);
      expect(await verify()).to.deep.include({ problem: null, checked: head.seq + 2, archived: head.seq + 2 });
    });

    it('takes entries up to the first that is too young', async () => {
      await world.writeSealed(2);
      const [first] = await world.entries();
      const before = (first?.created_at as number) + 1;
      while ((await opened.store.transaction((tables) => tables.now())) < before);
      await world.writeSealed(1);
      expect(await world.newArchivePass(memoryArchive(segments), before, 1000).step()).to.equal(false);
      expect(await world.archive(memoryArchive(segments), before)).to.equal(2);
      expect(await world.archive(memoryArchive(segments), before)).to.equal(0);
      expect((await world.entries()).map(({ seq }) => seq)).to.deep.equal([3]);
      expect(await verify()).to.include({ problem: null, checked: 3, archived: 2 });
    });

    it('goes on where a pass was stopped, with the segment that it wrote', async () => {
      await world.writeSealed(450);
      const pass = world.newArchivePass(memoryArchive(segments));
      await pass.step();
      expect(await verify()).to.include({ problem: null, archived: 0 });
      await pass.step();
      expect(await verify()).to.include({ problem: null, checked: 450, archived: 200 });
      expect(await verify(null)).to.include({ problem: null, checked: 250, archived: 200 });
      await world.writeSealed(1);
      expect(await archive()).to.equal(251);
      expect([...segments.keys()]).to.deep.equal([segment, 'audit-000000000451.jsonl']);
      expect(await verify()).to.include({ problem: null, checked: 451, archived: 451 });
    });

    it('is written by two hosts at once, each in a folder of its own or in the same', async () => {
      await world.writeSealed(450);
      for (const other of [segments, new Map<string, string[]>()]) {
        const [one, two] = [world.newArchivePass(memoryArchive(segments)), world.newArchivePass(memoryArchive(other))];
        await Promise.all([one.step(), two.step()]);
        for (let more = true; more; ) more = (await Promise.all([one.step(), two.step()])).includes(true);
        expect(await verify()).to.include({ problem: null, open: 0 });
        await world.writeSealed(300);
      }
    });

    it('refuses an entry that does not verify, and leaves all in the store', async () => {
      await world.writeSealed(5);
      await world.insert({ seq: 6, hash: '0'.repeat(64) });
      expect(String(await rejectionOf(archive()))).to.contain(
        'The audit log cannot be archived. Audit entry 6 (update of App 1, seq 6) was changed or inserted.',
      );
      expect(segments.size).to.equal(0);
      expect(await world.entries()).to.have.length(6);
    });

    it('refuses to delete entries that are not those of a segment', async () => {
      await world.writeSealed(5);
      const pass = world.newArchivePass(memoryArchive(segments));
      await pass.step();
      await world.insert({ seq: 3, hash: '0'.repeat(64), forged: true });
      expect(String(await rejectionOf(pass.step()))).to.contain(
        'The database holds other entries up to 5 than the archive: ',
      );
      expect(await world.entries()).to.have.length(6);
    });

    it('refuses a segment that was changed before its entries have left', async () => {
      await world.writeSealed(5);
      await world.newArchivePass(memoryArchive(segments)).step();
      const lines = segments.get(segment) as string[];
      segments.set(segment, lines.with(2, (lines[2] as string).replace('anna', 'eve')));
      expect(await rejectionOf(archive())).to.match(
        /Audit entry 3 .* was changed or inserted\. It is in audit-000000000001\.jsonl in the archive\. Move audit-0{11}1\.jsonl out of the archive/,
      );
      expect(await world.entries()).to.have.length(5);
    });

    it('names the entries that must be kept of a segment which was damaged while they were leaving', async () => {
      await world.writeSealed(450);
      const pass = world.newArchivePass(memoryArchive(segments));
      await pass.step();
      await pass.step();
      const intact = segments.get(segment) as string[];
      segments.set(segment, intact.with(440, '{'));
      expect(String(await rejectionOf(archive()))).to.match(
        /Line 441 of .* is no entry .* Keep the entries of audit-0{11}1\.jsonl in the archive up to 200, which have left/,
      );
      expect((await verify()).problem).to.match(/^Line 441 of .* is no entry/);
      segments.set(segment, intact.slice(0, 200));
      expect(await archive()).to.equal(250);
      expect(await verify()).to.include({ problem: null, checked: 450 });
    });

    it('refuses to delete entries that a segment of another history has in their place', async () => {
      await world.writeSealed(300);
      const copy = new Map<string, string[]>();
      await world.newArchivePass(memoryArchive(copy)).step();
      const other = await open();
      try {
        const restored = new AuditWorld({ store: other.store });
        await restored.writeSealed(300);
        segments.set(segment, copy.get(segment) as string[]);
        expect(String(await rejectionOf(restored.archive(memoryArchive(segments))))).to.match(
          /The database holds other entries up to 200 than the archive: .* Move audit-0{11}1\.jsonl out of the archive: the database has its entries/,
        );
        expect(await restored.entries()).to.have.length(300);
      } finally {
        await other.close();
      }
    });

    it('refuses to go on at a file that is empty', async () => {
      await world.writeSealed(3);
      segments.set(segment, []);
      expect(String(await rejectionOf(archive()))).to.contain(`${segment} in the archive is empty: move it away.`);
    });

    it('takes entries of several MB each, some at a time', async () => {
      const description = '"'.repeat(60_000);
      for (let topic = 0; topic < 6; topic += 1)
        await world.audited.transaction(trustedActor('anna'), (tables) =>
          tables.of(Topic).insert([newRow(Topic, { name: `large ${topic}`, description })]),
        );
      await world.seal();
      expect(await archive()).to.equal(6);
      expect(await verify()).to.include({ problem: null, checked: 6 });
    });

    it('is written by a service once the oldest entry is a day older than it must be, and on request', async () => {
      const asked: number[] = [];
      let now = 0;
      const { store } = opened;
      const later: Store = {
        kind: store.kind,
        close: () => store.close(),
        transaction: (work, options) =>
          store.transaction((tables) => work(overrideTables(tables, { now: async () => now })), options),
      };
      const refused: unknown[] = [];
      const archiving = new AuditArchiving({
        store: later,
        hmac: async () => testHmac,
        archive: memoryArchive(segments),
        days: 30,
        clock: { elapsed: () => 0 },
        onArchived: (count) => asked.push(count),
        onRefused: (error) => refused.push(error),
      });
      await world.writeSealed(3);
      const runService = async () => {
        while ((await archiving.ticker.tick()) === 0);
      };
      const written = (await world.entries()).at(-1)?.created_at as number;
      now = written + 30 * day + 1;
      // It waits a while after its start.
      expect(await archiving.ticker.tick()).to.equal(60_000);
      await runService();
      expect([asked, segments.size]).to.deep.equal([[], 0]);
      expect(await archiving.archive(trustedActor('anna'), { dryRun: true })).to.include({ count: 3 });
      now += day;
      await runService();
      expect([asked, segments.size, refused]).to.deep.equal([[3], 1, []]);
      expect(await archiving.archive(trustedActor('anna'), { dryRun: true })).to.include({ count: 0 });
      await world.insert({ seq: 4, hash: '0'.repeat(64) });
      now += 31 * day;
      expect(await archiving.ticker.tick()).to.equal(3_600_000);
      expect(String(refused)).to.contain('Audit entry 4 (update of App 1, seq 4) was changed or inserted.');
    });

    it('lets records be written on meanwhile', async () => {
      await world.writeSealed(450);
      const pass = world.newArchivePass(memoryArchive(segments));
      // Its segment holds the entries that were there when it began.
      for (let steps = 0; steps < 7; steps += 1) {
        await pass.step();
        await world.writeSealed(1);
      }
      await world.audited.transaction(trustedActor('anna'), (tables) => tables.of(Topic).delete([['name', '=', '1']]));
      await world.seal();
      const { problem, head } = await verify();
      expect(problem).to.equal(null);
      const inStore = await opened.store.transaction((tables) => tables.of(AuditLog).count());
      expect(inStore).to.equal(head.seq - pass.leftCount);
      expect(pass.leftCount).to.equal(450);
    });
  });

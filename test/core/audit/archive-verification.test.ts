import type { Table } from '@horarium/core';
import { expect } from 'chai';
import { AuditCheckpoint } from '#core/audit/archive/checkpoint';
import { Setting } from '#core/store/setting';
import { newRow, type RowOfTable } from '#core/store/table';
import { memoryArchive } from '../../support/store/memory-archive.ts';
import { AuditWorld } from '../../support/worlds/audit-world.ts';

type CheckpointRow = RowOfTable<typeof AuditCheckpoint>;

const segment = 'audit-000000000001.jsonl';

describe('The verification of an archive of the audit log', () => {
  let world: AuditWorld;
  let segments: Map<string, string[]>;

  const verify = (archive: Map<string, string[]> | null = segments) =>
    world.verify(undefined, archive && memoryArchive(archive));
  const archive = () => world.archive(memoryArchive(segments));

  beforeEach(async () => {
    world = new AuditWorld();
    segments = new Map();
    await world.writeSealed(450);
    await world.newArchivePass(memoryArchive(segments), Infinity).step();
    await archive();
    await world.writeSealed(3);
    await archive();
    await world.writeSealed(2);
  });

  const second = 'audit-000000000451.jsonl';
  const setLine = (name: string, index: number, change: (line: string) => string | null) => {
    const lines = segments.get(name) as string[];
    const changed = change(lines[index] as string);
    segments.set(name, changed === null ? lines.toSpliced(index, 1) : lines.with(index, changed));
  };
  const setCheckpoint = (work: (table: Table<CheckpointRow>) => Promise<unknown>) =>
    world.store.transaction((tables) => work(tables.of(AuditCheckpoint)));
  const setHead = (value: string | null) =>
    world.store.transaction(async (tables) => {
      const table = tables.of(Setting);
      if (value === null) await table.delete([['name', '=', 'audit head']]);
      else await table.updateWhere([['name', '=', 'audit head']], { value });
    });
  /** Inserts a line before another. */
  const insertLine = (name: string, index: number, line: string) =>
    segments.set(name, (segments.get(name) as string[]).toSpliced(index, 0, line));
  const forgedLine = (seq: number) => String(segments.get(segment)?.[6]).replace('"seq":7', `"seq":${seq}`);

  const harms: readonly (readonly [string, string, () => unknown])[] = [
    [
      'an entry that was changed',
      'Audit entry 7 (create of Topic 7, seq 7) was changed or inserted. It is in audit-000000000001.jsonl in the archive.',
      () => setLine(segment, 6, (line) => line.replace('anna', 'eve')),
    ],
    [
      'an entry that was removed',
      'Entry 7 was removed: Audit entry 8 (create of Topic 8, seq 8) follows 6. It is in audit-000000000001.jsonl in the archive.',
      () => setLine(segment, 6, () => null),
    ],
    [
      'a line that is no entry',
      'Line 3 of audit-000000000451.jsonl in the archive is no entry of the audit log.',
      () => setLine(second, 2, () => '{"seq":'),
    ],
    [
      'the entry behind a segment that was cut',
      'Entry 450 has left the database, and no file in the archive holds it.',
      () => setLine(segment, 449, () => null),
    ],
    [
      'the first entry of a segment that is missing',
      'Entry 451 has left the database, and no file in the archive holds it.',
      () => segments.delete(second),
    ],
    [
      'the first entry where the first segment is missing',
      'Entry 1 has left the database, and no file in the archive holds it.',
      () => segments.delete(segment),
    ],
    [
      'a checkpoint that was changed',
      'The checkpoint of the audit log was changed.',
      () => setCheckpoint((table) => table.updateWhere([], { seq: 452 })),
    ],
    [
      'a checkpoint that was removed',
      'Entry 1 was removed: Audit entry 454 (create of Topic 454, seq 454) follows 0.',
      () => setCheckpoint((table) => table.delete([])),
    ],
    [
      'a second checkpoint',
      'The checkpoint of the audit log was changed.',
      () => setCheckpoint((table) => table.insert([newRow(AuditCheckpoint, { seq: 999, hash: '', mac: '' })])),
    ],
    [
      'a line that was inserted before the first one',
      'Audit entry 7 (create of Topic 7, seq 0) was changed or inserted. It is in audit-000000000001.jsonl in the archive.',
      () => insertLine(segment, 0, forgedLine(0)),
    ],
    [
      'a line that was inserted a second time',
      'Audit entry 7 (create of Topic 7, seq 7) was changed or inserted. It is in audit-000000000001.jsonl in the archive.',
      () => insertLine(segment, 7, forgedLine(7)),
    ],
    [
      'a line that was appended behind what has left the database',
      'Audit entry 7 (create of Topic 7, seq 454) was changed or inserted. It is in audit-000000000451.jsonl in the archive.',
      () => insertLine(second, 3, forgedLine(454)),
    ],
    [
      'a member that was added to a line',
      'Line 7 of audit-000000000001.jsonl in the archive is no entry of the audit log.',
      () => setLine(segment, 6, (line) => line.replace('{', '{"note":"planted",')),
    ],
    [
      'a member that was added a second time',
      'Line 7 of audit-000000000001.jsonl in the archive is no entry of the audit log.',
      () => setLine(segment, 6, (line) => line.replace('{', '{"actor":"eve",')),
    ],
    [
      'a file that overlaps another',
      'Audit entry 7 (create of Topic 7, seq 8) was changed or inserted. It is in audit-000000000007.jsonl in the archive.',
      () => segments.set('audit-000000000007.jsonl', [forgedLine(7), forgedLine(8)]),
    ],
    [
      'a file of another name',
      'audit-7.jsonl in the archive is no file of the audit log.',
      () => segments.set('audit-7.jsonl', [forgedLine(7)]),
    ],
    [
      'a file that follows nothing',
      'audit-000000009999.jsonl in the archive does not follow the entries before it, which end at 453.',
      () => segments.set('audit-000000009999.jsonl', [forgedLine(9999)]),
    ],
    [
      'an entry that was put back past the service',
      'Audit entry 456 (update of App 1, seq 7) was changed or inserted.',
      () => world.insert({ seq: 7, hash: '0'.repeat(64) }),
    ],
  ];
  for (const [title, problem, harm] of harms)
    it(`names ${title}`, async () => {
      expect((await verify()).problem).to.equal(null);
      await harm();
      expect((await verify()).problem).to.equal(problem);
    });

  it('proves nothing where there is no archive, unless it is left out on purpose', async () => {
    expect((await world.verify()).problem).to.equal(
      'The entries up to 453 have left the database: only the archive of the audit log proves them.',
    );
    expect(await verify(null)).to.include({ problem: null, checked: 2 });
  });

  it('reports its progress among the entries that it reads', async () => {
    const progress = async (from: typeof segments | null) => {
      const reported: string[] = [];
      const note = (checked: number, total: number) => void reported.push(`${checked} of ${total}`);
      await world.verify(undefined, from && memoryArchive(from), note);
      return reported;
    };
    expect(await progress(segments)).to.deep.equal(['2 of 455']);
    expect(await progress(null)).to.deep.equal(['2 of 2']);
    await world.writeSealed(600);
    expect(await progress(segments)).to.deep.equal(['200 of 1055', '399 of 1055', '598 of 1055', '602 of 1055']);
  });

  it('proves a head that was noted for an entry which has left', async () => {
    const entry = JSON.parse(segments.get(segment)?.[9] as string) as { seq: number; hash: string };
    const { seq, hash } = entry;
    const other = { seq, hash: '0'.repeat(64) };
    const verifyNoted = async (noted: { seq: number; hash: string }, from: typeof segments | null) =>
      (await world.verify(noted, from && memoryArchive(from))).problem;
    expect(await verifyNoted({ seq, hash }, segments)).to.equal(null);
    expect(await verifyNoted(other, segments)).to.contain('is not the one that was noted');
    expect(await verifyNoted({ seq, hash }, null)).to.equal(
      'Entry 10, whose head was noted, has left the database: only the archive of the audit log proves it.',
    );
  });

  it('names a head of the sealer that was replaced by an older one', async () => {
    const value = (name: string) =>
      world.store.transaction(async (tables) =>
        String((await tables.of(Setting).find({ where: [['name', '=', name]] }))[0]?.value),
      );
    const older = await value('audit head');
    await world.writeSealed(1);
    await archive();
    await setHead(older);
    expect((await verify()).problem).to.equal(
      'The head of the audit log that the sealer stored was replaced by an older one.',
    );
  });

  it('is gone on with where the head of the sealer was lost', async () => {
    await archive();
    await setHead(null);
    await world.writeSealed(2);
    expect(await verify()).to.include({ problem: null, checked: 457, archived: 455 });
  });
});

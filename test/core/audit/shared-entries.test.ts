import { AuditLog, Job, type Query, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import fc from 'fast-check';
import { AuditSpan, entriesOfRecords, maxRecordsPerEntry, spansOf } from '#core/audit/audit-span';
import { partsOf, severalRecords } from '#core/audit/changes';
import { changesIn, shareEntries } from '#core/audit/shared-entries';
import type { NewEntry } from '#core/audit/signed-entry';
import { Records } from '#core/records/records';
import { findResource } from '#core/resources';
import { overrideTable, overrideTables, typedTable } from '#core/store/override-tables';
import { type AnyRow, newRow, type TableDescription } from '#core/store/table';
import { AuditWorld } from '../../support/worlds/audit-world.ts';
import { recordServices } from '../../support/worlds/record-world.ts';

const service = trustedActor('runner');

function entryOf(entity_id: number, fields: Partial<NewEntry> = {}): NewEntry {
  const who = { created_at: 0, user_id: null, channel: 'system' as const, actor: 'runner', ip: null, request_id: null };
  const what = {
    action: 'update' as const,
    entity_type: 'Job',
    company_id: 1,
    changes: { state: ['scheduled', 'running'] as const },
  };
  return { ...who, ...what, entity_id, ...fields };
}

describe('Shared entries of the audit log', () => {
  const sharing = new Set(['Job', 'Task']);

  it('hold the changes of the records of one kind, company and action, each by its id', () => {
    const entries = [
      entryOf(1),
      entryOf(2, { company_id: 2 }),
      entryOf(3),
      entryOf(3, { entity_type: 'Task' }),
      entryOf(4, { action: 'create' }),
      entryOf(5, { entity_type: 'Company' }),
      entryOf(6, { entity_type: 'Company' }),
    ];
    const shared = shareEntries(entries, sharing);
    expect(shared.map(({ entity_id }) => entity_id)).to.deep.equal([severalRecords, 2, 3, 4, 5, 6]);
    expect(shared[0]?.changes).to.deep.equal({
      1: { state: ['scheduled', 'running'] },
      3: { state: ['scheduled', 'running'] },
    });
  });

  it('are made of any changes so that none is lost, the changes of a record keep their order, and none is too large', () => {
    const change = fc.record({
      id: fc.integer({ min: 1, max: 1500 }),
      type: fc.constantFrom('Job', 'Task', 'Company'),
      company_id: fc.constantFrom(1, 2, null),
      action: fc.constantFrom('create', 'update', 'delete'),
      text: fc.oneof(
        fc.constant('x'),
        fc.integer({ min: 0, max: 40_000 }).map((length) => 'y'.repeat(length)),
      ),
    });
    const property = fc.property(fc.array(change, { maxLength: 700, size: 'max' }), (changes) => {
      const entries = changes.map(({ id, type, text, ...fields }, at) =>
        entryOf(id, { ...fields, entity_type: type, changes: { reason: [at, text] } }),
      );
      const shared = shareEntries(entries, sharing);
      const byRecord = (all: readonly NewEntry[]) => {
        const parts = all.flatMap((entry) => {
          const { action, entity_type: type, company_id } = entry;
          return partsOf(entry).map(([id, part]) => ({ record: `${type} ${id}`, action, company_id, part }));
        });
        return new Map([...Map.groupBy(parts, ({ record }) => record)].sort());
      };
      expect(byRecord(shared)).to.deep.equal(byRecord(entries));
      for (const entry of shared) {
        expect(partsOf(entry).length).to.be.at.most(maxRecordsPerEntry);
        if (entry.entity_id === severalRecords) expect(JSON.stringify(entry.changes).length).to.be.below(128 * 1024);
      }
    });
    fc.assert(property, { numRuns: 10 });
  });

  it('have spans that cover the ids of their records, and no others', () => {
    const property = fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 2 }), (ids) => {
      const changes = Object.fromEntries(ids.map((id) => [id, { state: ['a', 'b'] }])) as never;
      const spans = spansOf({ entity_type: 'Job', entity_id: severalRecords, changes }, 7);
      const covered = spans.flatMap(({ first_id, last_id }) =>
        Array.from({ length: last_id - first_id + 1 }, (_, at) => first_id + at),
      );
      expect(covered).to.deep.equal([...ids].sort((a, b) => a - b));
    });
    fc.assert(property);
  });

  it('are written of what the service itself changes only, sealed and verified', async () => {
    const world = new AuditWorld();
    const ids = await world.writeJobs(trustedActor('runner', 'system'), 40);
    const others = await world.writeJobs(trustedActor('anna', 'cli'), 3);
    await world.seal();
    const log = await world.audited.read((tables) =>
      tables.of(AuditLog).find({ where: [['entity_type', '=', Job.name]] }),
    );
    expect(log.map(({ entity_id }) => entity_id)).to.deep.equal([severalRecords, ...others]);
    expect(changesIn(log).map(({ entity_id }) => entity_id)).to.deep.equal([...ids, ...others]);
    expect(await world.verify()).to.include({ problem: null, open: 0 });
  });

  it('are found by each of their records, among entries of single ones', async () => {
    const world = new AuditWorld();
    const ids = await world.writeJobs(service, 30);
    const [own] = await world.writeJobs(trustedActor('anna', 'cli'), 1);
    const found = async (id: number) => {
      const entries = await world.audited.read(async (tables) =>
        tables
          .of(AuditLog)
          .find({ where: [['entity_type', '=', Job.name], await entriesOfRecords(tables, Job.name, [id])] }),
      );
      return changesIn(entries).filter(({ entity_id }) => entity_id === id).length;
    };
    for (const id of [...ids, own as number]) expect(await found(id)).to.equal(1);
    expect(await found((own as number) + 1)).to.equal(0);
  });

  it('are found by reading the spans near the records alone, however far apart these are', async () => {
    const world = new AuditWorld();
    const spanAt = (first: number, entry_id: number) => {
      const [first_id, last_id] = [first * 10, first * 10 + 4];
      return newRow(AuditSpan, { entry_id, entity_type: Job.name, first_id, last_id });
    };
    const spans = Array.from({ length: 3000 }, (_, at) => spanAt(at, at));
    await world.store.transaction((tables) => tables.of(AuditSpan).insert(spans));
    let read = 0;
    const find = async (ids: readonly number[]) =>
      world.audited.read(async (tables) => {
        const table = tables.of<AnyRow>(AuditSpan);
        const counting = overrideTable(table, {
          find: async (query?: Query) => {
            const rows = await table.find(query);
            read += rows.length;
            return rows;
          },
        });
        const of = <R extends AnyRow>(description: TableDescription<R>) => typedTable(counting, description);
        return entriesOfRecords(overrideTables(tables, { of }), Job.name, ids);
      });
    const ids = [29_993, 10, 15_009, 14];
    expect(await find(ids)).to.deep.equal({ any: [[['entity_id', 'in', ids]], [['id', 'in', [1, 2999]]]] });
    expect(read).to.be.at.most(3);
  });

  it('are listed by each of their records with its part, counted, paged and ordered, and as they are in other lists', async () => {
    const world = new AuditWorld();
    const ids = await world.writeJobs(service, 30);
    await world.writeJobs(trustedActor('anna', 'cli'), 1);
    const records = new Records(AuditLog, {
      store: world.audited,
      findResource: (name) => findResource(name),
      service: recordServices,
      tables: [],
    });
    const filters = { entity_type: Job.name, entity_id: ids[7] };
    const { rows } = await records.list(service, { filters });
    expect(rows).to.have.lengthOf(1);
    expect(rows[0]).to.include({ entity_id: ids[7], action: 'create' });
    expect(rows[0]?.changes).to.deep.include({ state: [null, 'scheduled'] });
    expect(await records.count(service, { filters }, 10)).to.equal(1);
    expect(await records.count(service, { filters: { ...filters, action: 'update' } }, 10)).to.equal(0);
    const oneOfTwo = await records.list(service, { filters: { ...filters, entity_id: `${ids[7]},999` } });
    expect(oneOfTwo.rows.map(({ entity_id }) => entity_id)).to.deep.equal([ids[7]]);
    const both = await records.list(service, { filters: { ...filters, entity_id: `${ids[7]},${ids[8]}` } });
    expect(both.rows.map(({ entity_id }) => entity_id)).to.deep.equal([severalRecords]);
    const all = await records.list(service, { filters: { entity_type: Job.name }, order: 'id', limit: 1 });
    expect(all.rows[0]).to.include({ entity_id: severalRecords });
    expect(Object.keys(all.rows[0]?.changes ?? {})).to.deep.equal(ids.map(String));
    expect(all.next).to.be.a('string');
  });

  for (const [what, tamper] of [
    ['removed', (world: AuditWorld) => world.store.transaction((tables) => tables.of(AuditSpan).delete([]))],
    [
      'moved',
      (world: AuditWorld) =>
        world.store.transaction((tables) => tables.of(AuditSpan).updateWhere([], { last_id: 1_000_000 })),
    ],
    [
      'added',
      (world: AuditWorld) =>
        world.store.transaction((tables) =>
          tables
            .of(AuditSpan)
            .insert([newRow(AuditSpan, { entry_id: 1, entity_type: 'Job', first_id: 9000, last_id: 9001 })]),
        ),
    ],
  ] as const)
    it(`make verification fail when an attacker has ${what} a span`, async () => {
      const world = new AuditWorld();
      await world.writeJobs(service, 10);
      await world.seal();
      await tamper(world);
      expect((await world.verify()).problem).to.match(/is not found by the records that it is about/);
    });
});

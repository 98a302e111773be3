import { AuditLog, Company, type Query } from '@horarium/core';
import { expect } from 'chai';
import { furtherRows, rowsAtOnce } from '#core/records/page-size';
import { textSize } from '#core/store/rows';
import { type AnyRow, recordWorld, root } from '../../support/worlds/record-world.ts';

/** A world with two audit entries for each of so many changes of an App, with an input of that many characters. */
async function worldWithChanges(changes: number, size: number) {
  const world = recordWorld();
  const { id } = await world.save('App', { name: 'App', executable: 'true' });
  for (let change = 0; change < changes; change += 1)
    await world.save('App', { id, stdin: String(change % 10).repeat(size) });
  return world;
}

describe('A page of a list', () => {
  it('holds as many rows as it was asked for while they are small', async () => {
    const { records } = await worldWithChanges(150, 10);
    const { rows, next } = await records('AuditLog').list(root, { limit: 140 });
    expect(rows.map((row) => row.id)).to.deep.equal(Array.from({ length: 140 }, (_, index) => 151 - index));
    const last = await records('AuditLog').list(root, { limit: 140, after: next as string });
    expect([last.rows.length, last.next]).to.deep.equal([11, null]);
  });

  it('ends before it has more than a million characters, and the next ones hold the rest', async () => {
    const { records } = await worldWithChanges(60, 200_000);
    const sizes: number[] = [];
    const ids: number[] = [];
    for await (const rows of records('AuditLog').pages(root, { order: 'id' })) {
      ids.push(...rows.map((row) => row.id));
      sizes.push(JSON.stringify(rows).length);
    }
    expect(ids).to.deep.equal(Array.from({ length: 61 }, (_, index) => index + 1));
    // The first entries are small, and what is large is not known before it is read.
    for (const size of sizes) expect(size).to.be.within(1, 1024 * 1024 + 1000);
  });

  it('holds one row at least, however large', async () => {
    const { records } = await worldWithChanges(3, 900_000);
    const { rows, next } = await records('AuditLog').list(root, { limit: 3 });
    expect([rows.map((row) => row.id), next === null]).to.deep.equal([[4], false]);
    const further = await records('AuditLog').list(root, { limit: 3, after: next as string });
    expect(further.rows.map((row) => row.id)).to.deep.equal([3]);
  });

  it('skips the offset once, whether it is read in one piece or in several', async () => {
    const { records } = await worldWithChanges(150, 10);
    const { rows } = await records('AuditLog').list(root, { limit: 100, offset: 7, order: 'id' });
    expect(rows.map((row) => row.id)).to.deep.equal(Array.from({ length: 100 }, (_, index) => index + 8));
  });

  /** Lists records, and records how many rows each query for whole ones has returned. */
  async function rowsRead(world: Awaited<ReturnType<typeof worldWithChanges>>, name: string, limit: number) {
    const counts: number[] = [];
    const { transaction } = world.database;
    world.database.transaction = (work, options) =>
      transaction.call(
        world.database,
        (tables) => {
          const of = (description: AnyRow) => {
            const table = tables.of(description);
            const find = async (query: Query) => {
              const rows = await table.find(query);
              if (query.columns?.length !== 1) counts.push(rows.length);
              return rows;
            };
            return { ...table, find };
          };
          return work({ ...tables, now: () => tables.now(), of } as AnyRow) as Promise<AnyRow>;
        },
        options,
      ) as Promise<AnyRow>;
    await world.records(name).list(root, { limit });
    return counts;
  }

  it('is read by one query, unless rows may be large: then by their ids, a few at a time', async () => {
    const world = await worldWithChanges(0, 0);
    await world.save('Company', { code: 'acme', name: 'Acme' });
    expect(await rowsRead(world, 'Company', 1000)).to.deep.equal([1]);
    expect(await rowsRead(await worldWithChanges(30, 10), 'AuditLog', 20)).to.deep.equal([1, 8, 8, 3]);
  });

  it('is full before many large rows are read, also where they follow small ones', async () => {
    const world = await worldWithChanges(20, 500_000);
    expect(await rowsRead(world, 'AuditLog', 100)).to.deep.equal([1, 1]);
    const { id } = await world.save('Company', { code: 'other', name: 'Other' });
    for (const change of [1, 2, 3]) await world.save('Company', { id, name: `Other ${change}` });
    expect(await rowsRead(world, 'AuditLog', 100)).to.deep.equal([1, 8]);
  });
});

describe('The rows of a page', () => {
  it('are read carefully where a list shows structured data or long texts', () => {
    expect([rowsAtOnce(AuditLog).first, rowsAtOnce(Company).first]).to.deep.equal([1, Infinity]);
  });

  it('are estimated by the average size of those read', () => {
    const row = { text: 'x'.repeat(100_000) };
    expect(furtherRows(5, 5 * textSize(row))).to.equal(6);
    expect(furtherRows(10, 10 * textSize(row))).to.equal(1);
    expect(furtherRows(11, 11 * textSize(row))).to.equal(0);
  });
});

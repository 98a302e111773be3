import {
  type Count,
  choice,
  count,
  defineBookkeeping,
  flag,
  instant,
  json,
  MemoryStore,
  mapOf,
  type Query,
  type RowOfTable,
  ref,
  type TableDescription,
  type Tables,
  text,
  type Where,
} from '@horarium/core';
import { StandingClock } from '@horarium/core/contracts';
import { expect } from 'chai';
import { string } from 'yup';
import { newRow } from '#core/store/table';

const Plant = defineBookkeeping({
  name: 'Plant',
  fields: {
    code: text(64, { unique: true }).required(),
    note: text(255),
    colour: choice(['red', 'green']).required(),
    height: count(0),
    alive: flag(true),
    seen_at: instant(),
    garden_id: ref('Garden', { foreignKey: false }).required(),
    shed_id: ref('Garden', { foreignKey: false }),
    labels: json(mapOf(string().defined(), { pattern: /./, description: 'a label' }), {}),
  },
});
type PlantRow = RowOfTable<typeof Plant>;

/** Asserts that two types are the same: otherwise the call does not compile. */
function assertSameType<A, B>(
  ..._equal: (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? [] : [never]
): void {}

/** Is compiled with the tests, but never run: each line after `@ts-expect-error` must fail to compile. */
async function misuses(tables: Tables): Promise<void> {
  const plants = tables.of(Plant);

  await plants.find({ where: [['code', '=', 'a']] });
  // @ts-expect-error no such column
  await plants.find({ where: [['kode', '=', 'a']] });
  // @ts-expect-error no such operator
  await plants.find({ where: [['code', 'like', 'a']] });
  // @ts-expect-error a text is not a number
  await plants.find({ where: [['height', '>', '3']] });
  // @ts-expect-error no such choice
  await plants.find({ where: [['colour', '=', 'blue']] });
  // @ts-expect-error undefined is not a value
  await plants.find({ where: [['code', '=', undefined]] });
  // @ts-expect-error a condition inside `any` is typed as well
  await plants.find({ where: [{ any: [[['kode', '=', 'a']]] }] });

  await plants.find({ where: [['note', '!=', null]] });
  // @ts-expect-error a column that is never null is not compared with null
  await plants.find({ where: [['code', '=', null]] });
  // @ts-expect-error nothing is less than null
  await plants.find({ where: [['seen_at', '<', null]] });
  await plants.find({ where: [['id', 'in', [1, 2]]] });
  // @ts-expect-error `in` takes a list
  await plants.find({ where: [['id', 'in', 1]] });
  // @ts-expect-error of values of the column
  await plants.find({ where: [['colour', 'in', ['red', 'blue']]] });
  // @ts-expect-error equality takes no list
  await plants.find({ where: [['id', '=', [1]]] });
  // @ts-expect-error structured data is compared with null only
  await plants.find({ where: [['labels', '=', {}]] });

  await plants.find({ order: [['code', 'desc']] });
  // @ts-expect-error no such column
  await plants.find({ order: [['kode', 'desc']] });
  // @ts-expect-error no such direction
  await plants.find({ order: [['code', 'down']] });
  // @ts-expect-error structured data has no order
  await plants.find({ order: [['labels', 'asc']] });

  const [whole] = await plants.find();
  assertSameType<typeof whole, PlantRow | undefined>();
  const [some] = await plants.find({ columns: ['id', 'code'] });
  assertSameType<typeof some, Pick<PlantRow, 'id' | 'code'> | undefined>();
  // @ts-expect-error that column was not read
  some?.note;
  // @ts-expect-error no such column
  await plants.find({ columns: ['id', 'kode'] });

  const [counted] = await plants.countBy(['colour', 'alive']);
  assertSameType<typeof counted, Count<PlantRow, readonly ['colour', 'alive']> | undefined>();
  assertSameType<typeof counted, { readonly values: ['red' | 'green', boolean]; readonly count: number } | undefined>();
  // @ts-expect-error no such column
  await plants.countBy(['kode']);
  // @ts-expect-error structured data is not grouped by
  await plants.countBy(['labels']);

  const row = newRow(Plant, { code: 'a', colour: 'red', garden_id: 1 });
  await plants.insertAbsent([row], ['code']);
  // @ts-expect-error no such column
  await plants.insertAbsent([row], ['kode']);
  // @ts-expect-error a row without its columns
  await plants.insert([{ code: 'a' }]);
  // @ts-expect-error no such column
  newRow(Plant, { kode: 'a' });
  await plants.updateWhere([['id', '=', 1]], { height: 3 });
  // @ts-expect-error a text is not a number
  await plants.updateWhere([['id', '=', 1]], { height: '3' });
  // @ts-expect-error what was read in part cannot be changed as a whole row
  await plants.update([{ row: some, set: { height: 3 } }]);

  // @ts-expect-error a condition on any table is none on this one
  await plants.delete([['kode', '=', 1]] as Where);
  const any: TableDescription = Plant;
  await tables.of(any).find({ where: [['kode', '=', 1]], columns: ['anything'] });
}

describe('The types of the store port', () => {
  it('reject misuses, or else this file would not have compiled', () => {
    expect(misuses).to.be.a('function');
  });

  it('give a reference the type of an id, with null where it may be unset', () => {
    assertSameType<PlantRow['garden_id'], number>();
    assertSameType<PlantRow['shed_id'], number | null>();
    const query: Query<PlantRow, 'code'> = { columns: ['code'], where: [['shed_id', '=', null]] };
    expect(query.columns).to.deep.equal(['code']);
  });

  it('agree with the rows that a store returns', async () => {
    const store = new MemoryStore({ tables: [Plant], clock: new StandingClock() });
    const found = await store.transaction(async (tables) => {
      await tables.of(Plant).insert([newRow(Plant, { code: 'a', colour: 'red', garden_id: 1 })]);
      const [counted] = await tables.of(Plant).countBy(['colour', 'alive']);
      return { counted, rows: await tables.of(Plant).find({ columns: ['id', 'code'] }) };
    });
    expect(found).to.deep.equal({ counted: { values: ['red', true], count: 1 }, rows: [{ id: 1, code: 'a' }] });
  });
});

import { assertEqual, assertIs, assertMatches, rejectionOf } from '../assertions.ts';
import { assert, type Clause, clauseList } from '../clause.ts';
import { Child, child, SampleRecord, type SampleRow, type StoreUnderTest, sample } from './samples.ts';

/** How rows are written and read back. */
export function rowClauses(current: () => StoreUnderTest): readonly Clause[] {
  const { clauses, clause } = clauseList();
  const run: StoreUnderTest['store']['transaction'] = (work, options) => current().store.transaction(work, options);
  const insert = async (row: Partial<SampleRow>) => {
    const [id] = await run((tables) => tables.of(SampleRecord).insert([sample(row)]));
    return id as number;
  };
  const get = async (id: number) => {
    const [row] = await run((tables) => tables.of(SampleRecord).find({ where: [['id', '=', id]] }));
    return row as SampleRow;
  };

  clause('a row is read as it was written, with every column', async () => {
    const full = sample({
      code: 'a',
      label: 'Lapač 😀 \u{10FFFF} \n\t"\'\\',
      rank: Number.MAX_SAFE_INTEGER,
      weight: 0.1 + 0.2,
      open: false,
      seen_at: Date.UTC(2026, 2, 29, 1, 59, 59, 999),
      colour: 'blue',
      tags: ['one', 'ř', ''],
      extra: { z: 1, a: [null, true, { ok: 'é😀' }], 'key "x"': 1e-7 },
      bytes: Uint8Array.from({ length: 256 }, (_, at) => at),
    });
    const id = await insert(full);
    assertEqual(await get(id), { id, ...full });
    const empty = await insert({});
    assertEqual(await get(empty), { id: empty, ...sample() });
  });

  clause('a row is read the same when it was written with others and when it was updated', async () => {
    const values: Partial<SampleRow> = {
      label: 'x\u0001y',
      rank: -Number.MAX_SAFE_INTEGER,
      weight: -1.5e300,
      seen_at: -1,
      extra: ['a'],
      bytes: Uint8Array.of(0, 255),
    };
    const ids = await run((tables) =>
      tables.of(SampleRecord).insert([sample(values), sample(values), sample(), sample()]),
    );
    await run(async (tables) => {
      const rows = await tables.of(SampleRecord).find();
      await tables.of(SampleRecord).update(rows.slice(2).map((row) => ({ row, set: values })));
    });
    for (const id of ids) assertEqual(await get(id), { ...sample(values), id });
  });

  clause('a row keeps the order of keys, and the first and last instant', async () => {
    const id = await insert({ extra: { b: 1, a: 2, 1: 3 }, seen_at: Date.parse('0001-01-01T00:00:00Z') });
    assertIs(JSON.stringify((await get(id)).extra), '{"1":3,"b":1,"a":2}');
    assertIs((await get(id)).seen_at, Date.parse('0001-01-01T00:00:00Z'));
    const last = await insert({ seen_at: Date.parse('9999-12-31T23:59:59.999Z') });
    assertIs((await get(last)).seen_at, Date.parse('9999-12-31T23:59:59.999Z'));
  });

  clause('a row has U+FFFD where a text had NUL or a lone surrogate', async () => {
    const id = await insert({ label: 'a\0b\ud800c', tags: ['\0'], extra: { 'k\0': 'v\udfff\\u0000' } });
    const row = await get(id);
    assertIs(row.label, 'a\ufffdb\ufffdc');
    assertEqual(row.tags, ['\ufffd']);
    assertEqual(row.extra, { 'k\ufffd': 'v\ufffd\\u0000' });
    assertIs(await run((tables) => tables.of(SampleRecord).count([['label', '=', 'a\0b\ud800c']])), 1);
  });

  clause('a row may hold values of several megabytes', async () => {
    const label = 'ž😀'.repeat(300_000);
    const bytes = new Uint8Array(3_000_000).fill(7);
    const [id, other] = await run((tables) =>
      tables.of(SampleRecord).insert([sample({ label, bytes }), sample({ bytes })]),
    );
    const row = await get(id as number);
    assertIs(row.label === label, true);
    assertIs(row.bytes?.length, bytes.length);
    assert(row.bytes?.every((byte) => byte === 7) === true, 'Every byte must be read as it was written');
    assertIs((await get(other as number)).bytes?.length, 3_000_000);
  });

  clause('a row cannot be changed except through the store', async () => {
    const given = sample({ code: 'a', tags: ['x'], extra: { deep: [1] }, bytes: Uint8Array.of(1) });
    const [id] = await run((tables) => tables.of(SampleRecord).insert([given]));
    given.tags.push('y');
    (given.extra as { deep: number[] }).deep.push(2);
    (given.bytes as Uint8Array)[0] = 9;
    const row = await get(id as number);
    row.code = 'changed';
    (row.bytes as Uint8Array)[0] = 8;
    const again = await get(id as number);
    assertEqual(again, {
      id,
      ...sample({ code: 'a', tags: ['x'], extra: { deep: [1] }, bytes: Uint8Array.of(1) }),
    });
  });

  clause('a row is refused when a value does not fit its column, or the table has no such column', async () => {
    const wrong: [Record<string, unknown>, RegExp][] = [
      [{ rank: 'three' }, /rank/],
      [{ rank: 1.5 }, /rank/],
      [{ weight: Number.NaN }, /weight/],
      [{ seen_at: 8.64e15 }, /seen_at/],
      [{ open: null }, /open/],
      [{ label: 5 }, /label/],
      [{ bytes: 'text' }, /bytes/],
      [{ nothing: 1 }, /nothing/],
    ];
    for (const [values, named] of wrong)
      assertMatches(
        await rejectionOf(run((tables) => tables.of(SampleRecord).insert([sample(values as never)]))),
        named,
      );
    assertIs(await run((tables) => tables.of(SampleRecord).count()), 0);
  });

  clause('writing returns ids in the order of the rows, ascending', async () => {
    await run(async (tables) => {
      const ids = await tables
        .of(SampleRecord)
        .insert(Array.from({ length: 50 }, (_, rank) => sample({ rank: 100 - rank })));
      assertEqual(
        ids,
        [...ids].sort((a, b) => a - b),
      );
      const rows = await tables.of(SampleRecord).find({ order: [['id', 'asc']] });
      assertEqual(
        rows.map(({ id }) => id),
        ids,
      );
      assertEqual(
        rows.map(({ rank }) => rank),
        Array.from({ length: 50 }, (_, rank) => 100 - rank),
      );
      assertEqual(await tables.of(SampleRecord).insert([]), []);
    });
  });

  clause('writing inserts, updates and deletes 10,000 rows at once', async () => {
    const count = 10_000;
    await run(async (tables) => {
      const samples = tables.of(SampleRecord);
      const ids = await samples.insert(Array.from({ length: count }, (_, rank) => sample({ rank, code: `c${rank}` })));
      assertIs(new Set(ids).size, count);
      const again = await samples.insertAbsent(
        Array.from({ length: count }, (_, at) => sample({ code: `c${at * 2}` })),
        ['code'],
      );
      assertIs(again.filter((id) => id === null).length, count / 2);
      const rows = await samples.find({ where: [['id', 'in', ids]] });
      const changed = await samples.update(
        rows.map((row) => ({ row, set: { rank: -(row.rank as number), revision: 2 } })),
      );
      assertEqual(changed, ids);
      assertIs(await samples.count([['rank', '<', 0]]), count - 1);
      assertIs(await samples.updateWhere([['revision', '=', 2]], { label: 'x' }), count);
      assertIs((await samples.delete([['label', '=', 'x']])).length, count);
      assertIs(await samples.count(), count / 2);
    });
  });

  clause('writing updates only the columns and rows that are given', async () => {
    const [one, two] = await run((tables) =>
      tables.of(SampleRecord).insert([sample({ code: 'a', rank: 1 }), sample({ code: 'b', rank: 1 })]),
    );
    await run(async (tables) => {
      const rows = await tables.of(SampleRecord).find();
      const sets = [{ label: 'first' }, { rank: null, colour: 'red' as const }];
      assertEqual(await tables.of(SampleRecord).update(rows.map((row, at) => ({ row, set: sets[at] as object }))), [
        one,
        two,
      ]);
      assertIs(await tables.of(SampleRecord).updateWhere([['rank', '=', null]], { open: false }), 1);
    });
    assertEqual(await get(one as number), { id: one, ...sample({ code: 'a', rank: 1, label: 'first' }) });
    assertEqual(await get(two as number), { id: two, ...sample({ code: 'b', colour: 'red', open: false }) });
  });

  clause('writing does not update a row that is at another revision, or deleted', async () => {
    const ids = await run((tables) => tables.of(SampleRecord).insert([sample(), sample(), sample()]));
    const rows = await run((tables) => tables.of(SampleRecord).find());
    await run((tables) => tables.of(SampleRecord).updateWhere([['id', '=', ids[0] as number]], { revision: 2 }));
    await run((tables) => tables.of(SampleRecord).delete([['id', '=', ids[1] as number]]));
    await run(async (tables) => {
      const set = { label: 'new', revision: 2 };
      assertEqual(await tables.of(SampleRecord).update(rows.map((row) => ({ row, set }))), [ids[2]]);
      assertEqual(await tables.of(SampleRecord).update([{ row: rows[0] as SampleRow, set }]), []);
      for (const unchanged of [{}, { label: null }])
        assertEqual(await tables.of(SampleRecord).update([{ row: rows[0] as SampleRow, set: unchanged }]), []);
    });
    assertIs((await get(ids[0] as number)).label, null);
  });

  clause('writing updates rows of a table without revisions by their ids', async () => {
    const id = await insert({});
    await run(async (tables) => {
      await tables.of(Child).insert([child(id, { number: 1 }), child(id, { number: 2 })]);
      const rows = await tables.of(Child).find();
      assertIs((await tables.of(Child).update(rows.map((row) => ({ row, set: { part: row.number } })))).length, 2);
      assertIs(
        (await tables.of(Child).update(rows.slice(0, 1).map((row) => ({ row, set: { title: 'T' } })))).length,
        1,
      );
      assertEqual(
        (await tables.of(Child).find()).map(({ part, title }) => [part, title]),
        [
          [1, 'T'],
          [2, 'A child'],
        ],
      );
    });
  });

  clause('writing rejects to update one row twice in one call, or its id', async () => {
    const row = await get(await insert({}));
    const twice = [
      { row, set: { rank: 1 } },
      { row, set: { rank: 2 } },
    ];
    assertMatches(await rejectionOf(run((tables) => tables.of(SampleRecord).update(twice))), /twice/);
    assertMatches(await rejectionOf(run((tables) => tables.of(SampleRecord).updateWhere([], { id: 5 }))), /id/);
  });

  clause('writing returns deleted rows as they were', async () => {
    const [, second] = await run((tables) =>
      tables.of(SampleRecord).insert([sample({ rank: 1 }), sample({ rank: 2, tags: ['t'] })]),
    );
    const deleted = await run((tables) => tables.of(SampleRecord).delete([['rank', '=', 2]]));
    assertEqual(deleted, [{ id: second, ...sample({ rank: 2, tags: ['t'] }) }]);
    assertIs(await run((tables) => tables.of(SampleRecord).count()), 1);
  });

  clause('writing purges the rows that match, counts them, and leaves those that others refer to', async () => {
    const ids = await run((tables) =>
      tables.of(SampleRecord).insert([sample({ rank: 1 }), sample({ rank: 2 }), sample({ rank: 2 })]),
    );
    assertIs(await run((tables) => tables.of(SampleRecord).purge([['rank', '=', 2]])), 2);
    assertIs(await run((tables) => tables.of(SampleRecord).purge([['rank', '=', 2]])), 0);
    const referred = ids[0] as number;
    await run((tables) => tables.of(Child).insert([child(referred)]));
    const refused = run((tables) => tables.of(SampleRecord).purge([['id', '=', referred]]));
    assertMatches(await rejectionOf(refused), /Child|refer/);
    assertIs(await run((tables) => tables.of(SampleRecord).count()), 1);
  });
  return clauses;
}

import { expect } from 'chai';
import { countUnits, unitsOf, withoutTicks } from './trace.ts';

describe('A trace of SQL statements', () => {
  const on = (connection: number, ...statements: string[]) => statements.map((sql) => ({ connection, sql }));

  it('is grouped into transactions, also those that overlap on several connections, and statements outside of any', () => {
    const trace = [
      ...on(1, 'start transaction isolation level read committed', 'select 1'),
      ...on(2, 'select 2'),
      ...on(3, 'begin', 'select 3'),
      ...on(1, 'commit'),
      ...on(3, 'rollback'),
      ...on(1, 'begin immediate', 'select 4'),
    ];
    expect(unitsOf(trace)).to.deep.equal([
      ['select 2'],
      ['start transaction isolation level read committed', 'select 1', 'commit'],
      ['begin', 'select 3', 'rollback'],
      ['begin immediate', 'select 4'],
    ]);
  });

  for (const [unit, writes] of [
    [['begin', 'select "updated_at" from "job"', 'rollback'], 0],
    [['begin', 'select "id" from "job" for update skip locked', 'commit'], 0],
    [['begin immediate', 'update "job" set "state" = ?', 'commit'], 1],
    [['insert into "job" ("id") values (1)'], 1],
    [['DELETE from "job"'], 1],
    [['begin', 'with "due" as (select 1) update "job" set "state" = $1', 'commit'], 1],
    [['begin', 'with "due" as (select 1 for update) select * from "due"', 'commit'], 0],
  ] as const)
    it(`counts ${unit.join('; ')} as ${writes} units that write`, () => {
      expect(countUnits([unit])).to.deep.equal({ statements: unit.length, writes });
    });

  it('loses the ticks that an idle service runs as often, and keeps those that work for jobs', () => {
    const beat = ['begin', 'select "lease"', 'commit'];
    const look = ['begin', 'select "due"', 'select "stop"', 'rollback'];
    const job = ['begin', 'insert into "job"', 'commit'];
    const idle = [beat, beat, look, look];
    const reordered = ['begin', 'select "stop"', 'select "due"', 'rollback'];
    const busy = [beat, look, job, look, beat, look, reordered, beat, job];
    expect(withoutTicks(busy, idle, 1)).to.deep.equal([look, job, look, look, reordered, job]);
    expect(withoutTicks(busy, idle, 2)).to.deep.equal([job, job]);
    expect(withoutTicks(busy, [], 1)).to.deep.equal(busy);
  });
});

import { App, Company, Event, isLabelled, readLabels, type Tables, trustedActor } from '@horarium/core';
import { expect } from 'chai';

describe('The labels of records', () => {
  const queries: unknown[] = [];
  const tablesWith = (rows: readonly object[]) =>
    ({
      of: () => ({
        find: async (query: unknown) => {
          queries.push(query);
          return rows;
        },
      }),
    }) as unknown as Tables;
  const operator = trustedActor('tester', 'cli');
  beforeEach(() => {
    queries.length = 0;
  });

  it('are read in one query of just the fields that name them', async () => {
    const rows = [
      { id: 1, code: 'tar', name: 'Tar' },
      { id: 2, code: null, name: 'Plain' },
    ];
    const labels = await readLabels(tablesWith(rows), operator, App, [1, 2, 3]);
    expect([...labels]).to.deep.equal([
      [1, { short: 'tar', full: '1 tar' }],
      [2, { short: '2 Plain', full: '2 Plain' }],
    ]);
    expect(queries).to.deep.equal([{ where: [['id', 'in', [1, 2, 3]]], columns: ['id', 'code', 'name'] }]);
  });

  it('are not read where there are no ids, or where records of the kind have no names', async () => {
    expect((await readLabels(tablesWith([]), operator, Company, [])).size).to.equal(0);
    expect((await readLabels(tablesWith([]), operator, Event, [1])).size).to.equal(0);
    expect(isLabelled(Event)).to.equal(false);
    expect(queries).to.deep.equal([]);
  });
});

import { Company, type CompanyRow, type Query, type Store, type Tables, trustedActor } from '@horarium/core';
import { StandingClock } from '@horarium/core/contracts';
import { expect } from 'chai';
import fc from 'fast-check';
import { AuditedStore } from '#core/audit/audited-store';
import { overrideTable, overrideTables, typedTable } from '#core/store/override-tables';
import { pipeline } from '#core/store/pipeline';
import { QueryCache } from '#core/store/query-cache';
import { type AnyRow, newRow, type TableDescription } from '#core/store/table';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { testSigner } from '../../support/secrets/test-hmac.ts';
import { openTestStore } from '../../support/store/test-store.ts';

const actor = trustedActor('test');

describe('QueryCache', () => {
  let base: Store;
  /** How many times the base store was asked for companies. */
  let asked: number;

  /** A host: its own cache over the store that it shares with the others. */
  function host(): AuditedStore {
    const of = <R extends AnyRow>(tables: Tables, description: TableDescription<R>) => {
      const table = tables.of<AnyRow>(description);
      if (description.name !== Company.name) return tables.of(description);
      const counted = {
        find: (query?: Query) => {
          asked += 1;
          return table.find(query);
        },
        count: (...args: Parameters<typeof table.count>) => {
          asked += 1;
          return table.count(...args);
        },
        countBy: (...args: Parameters<typeof table.countBy>) => {
          asked += 1;
          return table.countBy(...args);
        },
      };
      return typedTable(overrideTable(table, counted), description);
    };
    const counting: Store = {
      kind: base.kind,
      close: () => base.close(),
      transaction: (work, options) =>
        base.transaction((tables) => work(overrideTables(tables, { of: (each) => of(tables, each) })), options),
    };
    return new AuditedStore(pipeline(counting, [new QueryCache().concern]), testSigner);
  }

  const add = (store: AuditedStore, ...codes: string[]) =>
    store.transaction(actor, (tables) =>
      tables.of(Company).insert(codes.map((code) => newRow(Company, { code, name: code }))),
    );
  const rename = async (tables: Tables, id: number, name: string) => {
    const [row] = await tables.of(Company).find({ where: [['id', '=', id]], lock: 'wait' });
    await tables.of(Company).update([{ row: row as CompanyRow, set: { name } }]);
  };
  const nameIn = async (tables: Tables, id: number) =>
    (await tables.of(Company).find({ where: [['id', '=', id]] }))[0]?.name;
  const name = (store: AuditedStore, id: number) => store.read((tables) => nameIn(tables, id));

  beforeEach(async () => {
    base = openTestStore(new StandingClock());
    await add(host(), 'a', 'b', 'c');
    asked = 0;
  });

  it('reads rows by their ids once, whichever of them a query names, and counts and small queries once too', async () => {
    const store = host();
    const names = (ids: readonly number[]) =>
      store.read(async (tables) =>
        (await tables.of(Company).find({ where: [['id', 'in', ids]] })).map((row) => row.name),
      );
    expect(await names([3, 1])).to.deep.equal(['a', 'c']);
    expect(await names([1, 2, 3, 3])).to.deep.equal(['a', 'b', 'c']);
    expect(await names([2])).to.deep.equal(['b']);
    expect(asked).to.equal(2);
    const count = () => store.read((tables) => tables.of(Company).count([['enabled', '=', true]], 2));
    expect([await count(), await count()]).to.deep.equal([2, 2]);
    const byCode = () =>
      store.read((tables) => tables.of(Company).find({ where: [['code', '=', 'b']], columns: ['id'] }));
    expect([await byCode(), await byCode()]).to.deep.equal([[{ id: 2 }], [{ id: 2 }]]);
    const counts = () => store.read((tables) => tables.of(Company).countBy(['enabled']));
    expect([await counts(), await counts()]).to.deep.equal(Array(2).fill([{ values: [true], count: 3 }]));
    expect(asked).to.equal(5);
    await add(store, 'd');
    expect(await counts()).to.deep.equal([{ values: [true], count: 4 }]);
  });

  it('gives what another host has changed from its commit on', async () => {
    const [one, other] = [host(), host()];
    expect([await name(one, 1), await name(other, 1)]).to.deep.equal(['a', 'a']);
    await other.transaction(actor, (tables) => rename(tables, 1, 'new'));
    expect([await name(one, 1), await name(other, 1)]).to.deep.equal(['new', 'new']);
  });

  it('gives a transaction what it has changed itself, and the others nothing of it once it was rolled back', async () => {
    const store = host();
    await name(store, 1);
    const failed = store.transaction(actor, async (tables) => {
      expect(await nameIn(tables, 1)).to.equal('a');
      await rename(tables, 1, 'mine');
      expect(await nameIn(tables, 1)).to.equal('mine');
      throw new Error('no');
    });
    await rejectionOf(failed);
    expect(await name(store, 1)).to.equal('a');
  });

  it('reads lists, locked rows and rows beyond 64 KiB from the store each time', async () => {
    const store = host();
    await store.transaction(actor, async (tables) => {
      const [row] = await tables.of(Company).find({ where: [['id', '=', 1]], lock: 'wait' });
      await tables.of(Company).update([{ row: row as CompanyRow, set: { environment: { A: 'x'.repeat(70_000) } } }]);
    });
    asked = 0;
    const queries: readonly Query<CompanyRow>[] = [
      { where: [['id', '=', 1]] },
      { where: [['id', '=', 2]], lock: 'wait' },
      { order: [['name', 'asc']], limit: 2 },
    ];
    for (const query of [...queries, ...queries])
      await store.transaction(actor, (tables) => tables.of(Company).find(query));
    expect(asked).to.equal(6);
  });

  it('gives no caller a row that it could change for the others', async () => {
    const store = host();
    const read = () => store.read((tables) => tables.of(Company).find({ where: [['id', 'in', [1, 2]]] }));
    const rows = await read();
    expect(() => Object.assign(rows[0] as CompanyRow, { name: 'changed' })).to.throw(TypeError);
    rows.length = 0;
    expect(await read()).to.have.lengthOf(2);
    const count = () => store.read((tables) => tables.of(Company).countBy(['name'], [['id', '=', 1]]));
    await count();
    Object.assign((await count())[0]?.values ?? [], ['changed']);
    expect(await count()).to.deep.equal([{ values: ['a'], count: 1 }]);
  });

  it('answers as the store does, whatever hosts change and read', async () => {
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 });
    const step = fc.oneof(
      fc.record({ host: fc.nat(2), ids }),
      fc.record({ host: fc.nat(2), ids, name: fc.string({ minLength: 1, maxLength: 3 }), fails: fc.boolean() }),
    );
    const runs = fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      base = openTestStore(new StandingClock());
      const hosts = [host(), host(), host()];
      await add(hosts[0] as AuditedStore, 'a', 'b', 'c');
      for (const each of steps) {
        const store = hosts[each.host] as AuditedStore;
        const find = (tables: Tables) => tables.of(Company).find({ where: [['id', 'in', each.ids]] });
        if ('name' in each)
          await store
            .transaction(actor, async (tables) => {
              for (const row of await find(tables)) await rename(tables, row.id, each.name);
              if (each.fails) throw new Error('no');
            })
            .catch(() => undefined);
        const read = (from: Pick<Store, 'transaction'>) => from.transaction(find, { readOnly: true });
        expect(await store.read(find)).to.deep.equal(await read(base));
      }
    });
    await fc.assert(runs, { numRuns: 50 });
  });
});

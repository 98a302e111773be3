import { Company, type Tables, Topic, trustedActor } from '@horarium/core';
import { StandingClock } from '@horarium/core/contracts';
import { expect } from 'chai';
import { AuditedStore } from '#core/audit/audited-store';
import type { ChangedRows } from '#core/audit/observed-changes';
import { newRow } from '#core/store/table';
import { testSigner } from '../../support/secrets/test-hmac.ts';
import { openTestStore } from '../../support/store/test-store.ts';

describe('The observers of an audited store', () => {
  const actor = trustedActor('anna');
  const company = (code: string) => newRow(Company, { code, name: code });

  /** A store that is observed. @param observe is told of changed companies. */
  function observedStore(observe: (tables: Tables, changed: ChangedRows) => Promise<void>): AuditedStore {
    return new AuditedStore(openTestStore(new StandingClock()), testSigner, {
      observers: [{ tables: [Company], observe }],
    });
  }

  /** @returns the names of a company before and after each change that was observed in a transaction. */
  async function observedNames(store: AuditedStore, seen: unknown[], work: (tables: Tables) => Promise<unknown>) {
    seen.length = 0;
    await store.transaction(actor, work);
    return seen;
  }

  it('are told once of each record that a transaction changed, from its first state to its last', async () => {
    const seen: unknown[] = [];
    const store = observedStore(async (_, changed) => {
      for (const { before, after } of changed(Company)) seen.push([before?.name ?? null, after?.name ?? null]);
    });
    const rename = async (tables: Tables, name: string) => {
      const [row] = await tables.of(Company).find();
      if (row) await tables.of(Company).update([{ row, set: { name } }]);
    };
    const created = async (tables: Tables) => tables.of(Company).insert([company('a'), company('b')]);
    expect(await observedNames(store, seen, created)).to.deep.equal([
      [null, 'a'],
      [null, 'b'],
    ]);
    const renamedTwice = async (tables: Tables) => {
      await rename(tables, 'x');
      await rename(tables, 'y');
    };
    expect(await observedNames(store, seen, renamedTwice)).to.deep.equal([['a', 'y']]);
    expect(await observedNames(store, seen, (tables) => tables.of(Company).delete([['code', '=', 'b']]))).to.deep.equal(
      [['b', null]],
    );
    const others = async (tables: Tables) => tables.of(Topic).insert([newRow(Topic, { name: 'news' })]);
    expect(await observedNames(store, seen, others)).to.deep.equal([]);
  });

  it('write in the transaction of the change, which fails with them', async () => {
    const store = observedStore(async (tables, changed) => {
      const names = changed(Company).map(({ after }) => after?.name ?? '');
      if (names.includes('bad')) throw new Error('not observed');
      await tables.of(Topic).insert(names.map((name) => newRow(Topic, { name })));
    });
    await store.transaction(actor, (tables) => tables.of(Company).insert([company('good')]));
    const failed = store.transaction(actor, (tables) => tables.of(Company).insert([company('bad')]));
    expect(await failed.catch((error: Error) => error.message)).to.equal('not observed');
    const [companies, topics] = await store.read(async (tables) => [
      await tables.of(Company).find(),
      await tables.of(Topic).find(),
    ]);
    expect(companies.map(({ code }) => code)).to.deep.equal(['good']);
    expect(topics.map(({ name }) => name)).to.deep.equal(['good']);
  });
});

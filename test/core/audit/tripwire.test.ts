import { AuditLog, Company, type Tables, trustedActor } from '@horarium/core';
import { StandingClock } from '@horarium/core/contracts';
import { expect } from 'chai';
import { AuditedStore } from '#core/audit/audited-store';
import { newRow } from '#core/store/table';
import { testSigner } from '../../support/secrets/test-hmac.ts';
import { openTestStore } from '../../support/store/test-store.ts';

describe('The audit tripwire of the test stores', () => {
  const actor = trustedActor('anna');
  const acme = newRow(Company, { code: 'acme', name: 'Acme', created_at: 0, updated_at: 0 });
  const entry = newRow(AuditLog, {
    created_at: 0,
    channel: 'cli',
    actor: 'anna',
    action: 'update',
    entity_type: 'Company',
    entity_id: 1,
    changes: { name: ['Acme', 'Other'] },
    nonce: 'of one entry',
    mac: 'of no key',
  });

  /** Runs a transaction on the store without the audit log. @returns the message of its error, or `nothing`. */
  async function refusal(work: (tables: Tables) => Promise<unknown>): Promise<string> {
    const store = openTestStore(new StandingClock());
    await new AuditedStore(store, testSigner).transaction(actor, (tables) => tables.of(Company).insert([acme]));
    const before = await store.transaction((tables) => tables.of(Company).find(), { readOnly: true });
    const message = await store.transaction(work).then(
      () => 'nothing',
      (error: Error) => error.message,
    );
    const after = await store.transaction((tables) => tables.of(Company).find(), { readOnly: true });
    if (message !== 'nothing') expect(after).to.deep.equal(before);
    return message;
  }

  it('commits writes whose audit entries match', async () => {
    const store = new AuditedStore(openTestStore(new StandingClock()), testSigner);
    await store.transaction(actor, async (tables) => {
      await tables.of(Company).insert([acme]);
      const [row] = await tables.of(Company).find();
      if (row) await tables.of(Company).update([{ row, set: { name: 'Other' } }]);
    });
    await store.transaction(actor, (tables) => tables.of(Company).delete([]));
  });

  it('rejects writes without an audit entry by every method of a table', async () => {
    const silent = 'The audit log does not balance. Written but not logged:';
    expect(await refusal((tables) => tables.of(Company).insert([{ ...acme, code: 'b' }]))).to.contain(
      `${silent} create of Company 2`,
    );
    expect(await refusal((tables) => tables.of(Company).insertAbsent([{ ...acme, code: 'b' }], ['code']))).to.contain(
      `${silent} create of Company 2`,
    );
    expect(await refusal((tables) => tables.of(Company).updateWhere([], { name: 'Other' }))).to.contain(
      `${silent} update of Company 1 (name)`,
    );
    expect(await refusal((tables) => tables.of(Company).delete([]))).to.contain(`${silent} delete of Company 1`);
    expect(await refusal((tables) => tables.of(Company).purge([]))).to.contain(`${silent} delete of Company 1`);
    const update = async (tables: Tables) => {
      const [row] = await tables.of(Company).find();
      return row && tables.of(Company).update([{ row, set: { name: 'Other', email: 'a@b.cz' } }]);
    };
    expect(await refusal(update)).to.contain(`${silent} update of Company 1 (email, name)`);
  });

  it('rejects audit entries without a write, and ones that omit a changed field', async () => {
    const invented = 'Logged but not written: update of Company 1 (name)';
    expect(await refusal((tables) => tables.of(AuditLog).insert([entry]))).to.contain(invented);
    const half = async (tables: Tables) => {
      await tables.of(Company).updateWhere([], { name: 'Other', email: 'a@b.cz' });
      await tables.of(AuditLog).insert([entry]);
    };
    expect(await refusal(half))
      .to.contain(invented)
      .and.to.contain('update of Company 1 (email, name)');
  });

  it('rejects changes of entries, except the one that seals them', async () => {
    const change = (set: Partial<typeof entry>) => async (tables: Tables) => {
      const [row] = await tables.of(AuditLog).find();
      return row && tables.of(AuditLog).update([{ row, set }]);
    };
    const refused = 'Entries of the audit log are neither changed nor deleted.';
    expect(await refusal(change({ actor: 'nobody' }))).to.equal(refused);
    expect(await refusal(change({ seq: 1, hash: 'x', actor: 'nobody' }))).to.equal(refused);
    expect(await refusal((tables) => tables.of(AuditLog).delete([]))).to.equal(refused);
    expect(await refusal((tables) => tables.of(AuditLog).purge([]))).to.equal(refused);
    expect(await refusal(change({ seq: 1, hash: 'x' }))).to.equal('nothing');
  });

  it('ignores writes of fields that are not audited', async () => {
    expect(await refusal((tables) => tables.of(Company).updateWhere([], { updated_at: 5 }))).to.equal('nothing');
  });
});

import { AuditLog, allTables, Topic, type TopicRow } from '@horarium/core';
import { expect } from 'chai';
import { AuditedStore } from '#core/audit/audited-store';
import { Records } from '#core/records/records';
import { findResource } from '#core/resources';
import { testSigner } from '../../support/secrets/test-hmac.ts';
import { type SharedStores, sharedStoreKinds } from '../../support/store/shared-stores.ts';
import { recordServices, root } from '../../support/worlds/record-world.ts';

const saveCount = 20;

for (const [kind, open] of Object.entries(sharedStoreKinds))
  describe(`Concurrent saves by two hosts on ${kind}`, () => {
    let shared: SharedStores;
    let hosts: { store: AuditedStore; topics: Records<TopicRow> }[];

    before(async () => {
      shared = await open();
      hosts = shared.stores.map((each) => {
        const store = new AuditedStore(each, testSigner);
        const context = { findResource, service: recordServices, store, tables: allTables };
        return { store, topics: new Records(Topic, context) };
      });
    });
    after(() => shared.close());

    /** Returns the topics of the host whose turn it is. */
    const topicsOf = (n: number) => hosts[n % 2]?.topics as Records<TopicRow>;
    const concurrently = <T>(save: (n: number) => Promise<T>) =>
      Promise.all(Array.from({ length: saveCount }, (_, n) => save(n)));
    const auditEntriesOf = async (id: number) => {
      const where = [
        ['entity_type', '=', 'Topic'],
        ['entity_id', '=', id],
      ] as const;
      return (await hosts[0]?.store.read((tables) => tables.of(AuditLog).find({ where }))) ?? [];
    };

    it('with one natural key create one record, which all but the first update', async () => {
      const saved = await concurrently((n) => topicsOf(n).save(root, { name: 'one', description: `by ${n}` }));
      expect(saved.filter(({ created }) => created)).to.have.length(1);
      const ids = new Set(saved.map(({ id }) => id));
      expect(ids.size).to.equal(1);
      expect(await auditEntriesOf([...ids][0] as number)).to.have.length(saveCount);
    });

    it('of one record all succeed, each as a revision of its own', async () => {
      const row = await topicsOf(0).save(root, { name: 'changed' });
      const saved = await concurrently((n) => topicsOf(n).save(root, { description: `by ${n}` }, { id: row.id }));
      expect(new Set(saved.map((each) => each.revision)).size).to.equal(saveCount);
      expect(await auditEntriesOf(row.id)).to.have.length(saveCount + 1);
    });

    it('that expect the same revision succeed once', async () => {
      const row = await topicsOf(0).save(root, { name: 'versioned' });
      const options = { id: row.id, version: row.revision };
      const outcomes = await concurrently((n) =>
        topicsOf(n)
          .save(root, { description: `by ${n}` }, options)
          .then(
            () => 'saved',
            ({ code }) => code,
          ),
      );
      expect(outcomes.filter((outcome) => outcome === 'saved')).to.have.length(1);
      expect(outcomes.filter((outcome) => outcome === 'precondition_failed')).to.have.length(saveCount - 1);
    });
  });

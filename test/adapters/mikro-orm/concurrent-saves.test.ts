import { AuditedStore, AuditLog, allTables, findResource, Records, Topic, type TopicRow } from '@horarium/core';
import { expect } from 'chai';
import { type SharedStores, sharedStores } from '../../support/store/shared-stores.ts';
import { recordServices, root } from '../../support/worlds/record-world.ts';

for (const [what, open] of Object.entries(sharedStores))
  describe(`Concurrent saves by two hosts on ${what}`, () => {
    const many = 20;
    let shared: SharedStores;
    let hosts: { store: AuditedStore; topics: Records<TopicRow> }[];

    before(async () => {
      shared = await open();
      hosts = shared.stores.map((each) => {
        const store = new AuditedStore(each);
        const rest = { findResource, service: recordServices };
        return { store, topics: new Records(Topic, { ...rest, store, tables: allTables }) };
      });
    });
    after(() => shared.close());

    const topicsOf = (n: number) => hosts[n % 2]?.topics as Records<TopicRow>;
    const atOnce = <T>(save: (n: number) => Promise<T>) => Promise.all(Array.from({ length: many }, (_, n) => save(n)));
    const entriesOf = async (id: number) => {
      const where = [
        ['entity_type', '=', 'Topic'],
        ['entity_id', '=', id],
      ] as const;
      return (await hosts[0]?.store.read((tables) => tables.of(AuditLog).find({ where }))) ?? [];
    };

    it('create one record for one natural key, which the later ones update', async () => {
      const saved = await atOnce((n) => topicsOf(n).save(root, { name: 'one', description: `by ${n}` }));
      expect(saved.filter(({ created }) => created)).to.have.length(1);
      const ids = new Set(saved.map(({ row }) => row.id));
      expect(ids.size).to.equal(1);
      expect(await entriesOf([...ids][0] as number)).to.have.length(many);
    });

    it('all take effect on one record, each based on the one before', async () => {
      const { row } = await topicsOf(0).save(root, { name: 'changed' });
      const saved = await atOnce((n) => topicsOf(n).save(root, { description: `by ${n}` }, { id: row.id }));
      expect(new Set(saved.map((each) => each.row.revision)).size).to.equal(many);
      expect(await entriesOf(row.id)).to.have.length(many + 1);
    });

    it('succeed once for each entity tag', async () => {
      const { row } = await topicsOf(0).save(root, { name: 'versioned' });
      const options = { id: row.id, version: row.revision };
      const save = (n: number) =>
        topicsOf(n)
          .save(root, { description: `by ${n}` }, options)
          .then(
            () => 'saved',
            ({ code }) => code,
          );
      const came = await atOnce(save);
      expect(came.filter((each) => each === 'saved')).to.have.length(1);
      expect(came.filter((each) => each === 'precondition_failed')).to.have.length(many - 1);
    });
  });

import { Event, EventRule, Job, systemClock, trustedActor } from '@horarium/core';
import { NodeVault } from '@horarium/core/node';
import { expect } from 'chai';
import { AuditedStore } from '#core/audit/audited-store';
import { EventProcessor } from '#core/event/processor/event-processor';
import { newSourceEvents } from '#core/event/source-events';
import { Records } from '#core/records/records';
import { findResource } from '#core/resources';
import { eventually } from '../../support/mocha/eventually.ts';
import { testSigner } from '../../support/secrets/test-hmac.ts';
import { sharedStoreKinds } from '../../support/store/shared-stores.ts';
import { type AnyRow, recordsContext, root, vaultKey } from '../../support/worlds/record-world.ts';

for (const [kind, open] of Object.entries(sharedStoreKinds))
  describe(`Events in ${kind} that two hosts share`, () => {
    const count = 60;

    it('fire each of their rules once, whichever host plans them', async () => {
      const fixture = await open();
      try {
        const stores = fixture.stores.map((store) => new AuditedStore(store, testSigner));
        const [store = expect.fail()] = stores;
        const context = recordsContext(store);
        const save = (name: string, row: object): Promise<AnyRow> =>
          new Records<AnyRow>(findResource(name), context).save(root, row);
        const app = await save('App', { name: 'work', executable: '/bin/true', environment: { ID: {} } });
        const company = await save('Company', { code: 'acme', name: 'acme' });
        const fields = { app_id: app.id, company_id: company.id, interval: 'none', overlap: 'allow' };
        const sources: number[] = [];
        for (const name of ['plain', 'selected', 'listed']) {
          const { id: runtemplate_id } = await save('RunTemplate', { ...fields, name });
          const source = await save('EventSource', { name, kind: 'changes-table', options: { host: 'db' } });
          const env_mapping = name === 'plain' ? {} : { ID: name === 'listed' ? '$.ids' : '$.id' };
          await save('EventRule', { event_source_id: source.id, runtemplate_id, env_mapping });
          sources.push(source.id);
        }
        for (const id of sources)
          await store.transaction(trustedActor('reader'), (tables) =>
            newSourceEvents(
              tables,
              { id },
              Array.from({ length: count }, (_, index) => {
                const payload = { id: index, ids: ['a', 'b', 'c'] };
                return { key: `${index}`, evidence: null, operation: null, recordId: null, payload };
              }),
            ),
          );
        const vault = new NodeVault(vaultKey);
        const hosts = stores.map(
          (each) =>
            new EventProcessor({ store: each, clock: systemClock, poll: 1000, vault, matchesPattern: () => false }),
        );
        const events = () => store.read((tables) => tables.of(Event).find());
        await eventually('no event is pending', async () => {
          await Promise.all(hosts.map((host) => host.tick()));
          return (await events()).every(({ state }) => state !== 'pending');
        });
        const [jobs, rules] = await store.read(async (tables) => [
          await tables.of(Job).countBy(['event_id']),
          await tables.of(EventRule).find({ columns: ['id'] }),
        ]);
        const made = new Map(jobs.map(({ values, count: number }) => [values[0], number]));
        for (const event of await events()) {
          const place = sources.indexOf(event.event_source_id as number);
          expect([event.state, event.fired, event.tries, event.claimed_until]).to.deep.equal([
            'done',
            [rules[place]?.id],
            0,
            null,
          ]);
          expect(made.get(event.id)).to.equal(place === 2 ? 3 : 1);
        }
      } finally {
        await fixture.close();
      }
    });
  });

import { Core, Event, Job, trustedActor } from '@horarium/core';
import { nodePorts } from '@horarium/core/node';
import { expect } from 'chai';
import { MemorySource, memoryKind } from '../../support/event-sources/memory-source.ts';
import { ScriptedExecutor } from '../../support/executors/scripted-executor.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { type SharedStores, sharedStoreKinds } from '../../support/store/shared-stores.ts';

const actor = trustedActor('anna', 'embedded');

for (const [title, open] of Object.entries(sharedStoreKinds))
  describe(`Event sources that two hosts read, on ${title}`, () => {
    let shared: SharedStores;
    const source = new MemorySource();
    const hosts: Core[] = [];

    before(async () => {
      shared = await open();
      const ports = nodePorts({ vaultKey: Buffer.alloc(32, 5).toString('base64') });
      const eventSourceKinds = new Map([['memory', memoryKind(new Map([['shop', source]]))]]);
      // They run no jobs.
      const options = { ...ports, executors: [new ScriptedExecutor()], eventSourceKinds, capacity: 0 };
      hosts.push(...shared.stores.map((store) => new Core({ ...options, store })));
    });
    after(async () => {
      await Promise.all(hosts.map((host) => host.stop()));
      await shared?.close();
    });

    it('start one job for each change, in order, though a host stops in the middle of its batches', async () => {
      const [one, other] = hosts as [Core, Core];
      const app = await one.apps.save(actor, { name: 'app', executable: 'true' });
      const company = await one.companies.save(actor, { code: 'acme', name: 'Acme' });
      const executor = new ScriptedExecutor().name;
      const fields = { name: 'job', app_id: app.id, company_id: company.id, interval: 'none', executor } as const;
      const template = await one.runTemplates.save(actor, { ...fields, overlap: 'allow' });
      const { id } = await one.eventSources.save(actor, {
        name: 'shop',
        kind: 'memory',
        options: { place: 'shop' },
        poll_interval: 1,
      });
      await one.eventRules.save(actor, { event_source_id: id, runtemplate_id: template.id });
      const keys = Array.from({ length: 2500 }, (_, index) => `${index}`);
      source.add(...keys.slice(0, 2000));
      let stopping: Promise<void> | undefined;
      // Between the second batch of whichever host reads and its commit.
      source.onRead = () => {
        if (source.acknowledged === '500') stopping ??= one.stop();
      };
      await Promise.all([one.start(), other.start()]);
      await eventually('a host is stopped', () => stopping !== undefined);
      await stopping;
      source.add(...keys.slice(2000));
      const count = () => other.store.read((tables) => tables.of(Event).count([['state', '=', 'done']]));
      await eventually('all changes have started their jobs', async () => (await count()) === keys.length);
      const { events, jobs } = await other.store.read(async (tables) => ({
        events: await tables.of(Event).find({ columns: ['id', 'key', 'state'] }),
        jobs: await tables.of(Job).find({ columns: ['event_id'] }),
      }));
      expect(events.map(({ key }) => key)).to.deep.equal(keys);
      expect(new Set(events.map(({ state }) => state))).to.deep.equal(new Set(['done']));
      expect(jobs.map(({ event_id }) => event_id)).to.deep.equal(events.map((event) => event.id));
    });
  });

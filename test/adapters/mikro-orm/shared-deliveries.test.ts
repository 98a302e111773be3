import { type AnyAction, Delivery, systemClock, trustedActor } from '@horarium/core';
import { NodeVault, newVaultKey } from '@horarium/core/node';
import { defineAction, text } from '@horarium/core/plugin';
import { expect } from 'chai';
import { noActions } from '#core/action/action-lists';
import { AuditedStore } from '#core/audit/audited-store';
import { Deliveries } from '#core/delivery/deliveries';
import { newRow } from '#core/store/table';
import { storedNoticeOf } from '../../support/actions/stored-notice.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { testSigner } from '../../support/secrets/test-hmac.ts';
import { sharedStoreKinds } from '../../support/store/shared-stores.ts';

for (const [kind, open] of Object.entries(sharedStoreKinds))
  describe(`Deliveries in ${kind} that two hosts share`, () => {
    const count = 150;

    it('are each made by one of them, and failures that are collected by one message', async () => {
      const fixture = await open();
      try {
        const told: { readonly id: string; readonly count: number | undefined }[] = [];
        const tell = defineAction({
          name: 'tell',
          options: { to: text(20) },
          endpoint: ({ to }) => to ?? '',
          deliver: async ({ id, notice }) => {
            told.push({ id, count: notice.digest?.count });
            return {};
          },
        });
        const actions = new Map<string, AnyAction>([['tell', tell]]);
        const listed = Array.from({ length: 10 }, (_none, index) => ({ action: 'tell', to: `to ${index}` }));
        const stores = fixture.stores.map((store) => new AuditedStore(store, testSigner));
        const hosts = stores.map(
          (store) =>
            new Deliveries({
              store,
              clock: systemClock,
              poll: 1000,
              actions,
              serviceActions: { ...noActions(), on_failure: listed },
              vault: new NodeVault(newVaultKey()),
              recordUrl: () => null,
              wake: () => undefined,
              deactivateTemplate: async () => '',
            }),
        );
        const [store = expect.fail()] = stores;
        await store.transaction(trustedActor('test'), async (tables) => {
          const now = await tables.now();
          const notice = storedNoticeOf('on_failure');
          const usual = {
            action: 'tell',
            event: 'on_failure',
            owner: 'service',
            created_at: now,
            next_at: now,
          } as const;
          const rows = Array.from({ length: count }, (_none, index) => ({
            ...usual,
            endpoint: `to ${index % 10}`,
            listed_id: String(index % 10),
            runtemplate_id: 1,
            job_id: 1,
            collected: index >= 100,
            message_id: crypto.randomUUID(),
            notice,
          }));
          await tables.of(Delivery).insert(rows.map((row) => newRow(Delivery, row)));
        });
        const read = () => store.read((tables) => tables.of(Delivery).find());
        await eventually('all are delivered', async () => {
          await Promise.all(hosts.map((host) => host.tick()));
          return (await read()).every(({ state }) => state === 'delivered');
        });
        expect(new Set(told.map(({ id }) => id)).size).to.equal(told.length);
        const collected = told.filter((each) => each.count !== undefined);
        expect(told.length - collected.length).to.equal(100);
        expect(collected.reduce((sum, each) => sum + (each.count ?? 0), 0)).to.equal(50);
        expect((await read()).every(({ tries, digest_id }) => tries === 1 || digest_id !== null)).to.equal(true);
      } finally {
        await fixture.close();
      }
    });
  });

import {
  App,
  AuditLog,
  type Clock,
  Company,
  Core,
  RunTemplate,
  type Store,
  systemClock,
  Task,
  type TaskRow,
  trustedActor,
} from '@horarium/core';
import { newVaultKey, nodePorts } from '@horarium/core/node';
import { expect } from 'chai';
import type { AuditedStore } from '#core/audit/audited-store';
import { newRow } from '#core/store/table';
import { type SharedStores, sharedStoreKinds } from '../../support/store/shared-stores.ts';

const me = trustedActor('test');
const day = 86_400_000;
/** Shortens every sleep, so that the store is polled often. */
const hastyClock: Clock = {
  ...systemClock,
  sleep: (duration, signal) => systemClock.sleep(Math.min(duration, 5), signal),
};

for (const [kind, open] of Object.entries(sharedStoreKinds))
  describe(`A watch of Tasks on ${kind}`, () => {
    let shared: SharedStores;
    let writer: AuditedStore;
    let sealing: Core;
    let watching: Core;
    let template: { runtemplate_id: number; company_id: number };

    before(async () => {
      shared = await open();
      const ports = nodePorts({ vaultKey: newVaultKey() });
      const [one, other] = shared.stores;
      sealing = new Core({ ...ports, store: one, executors: [], capacity: 0 });
      writer = sealing.store;
      watching = new Core({ ...ports, store: other, executors: [], capacity: 0, clock: hastyClock });
      template = await writer.transaction(me, async (tables) => {
        const [app_id = 0] = await tables
          .of(App)
          .insert([newRow(App, { name: 'a', executable: 'a', uuid: crypto.randomUUID() })]);
        const [company_id = 0] = await tables.of(Company).insert([newRow(Company, { code: 'c', name: 'c' })]);
        const fields = { name: 't', app_id, company_id, interval: 'none' } as const;
        const [runtemplate_id = 0] = await tables.of(RunTemplate).insert([newRow(RunTemplate, fields)]);
        return { runtemplate_id, company_id };
      });
    });
    after(async () => {
      await Promise.all([sealing.stop(), watching.stop()]);
      await shared.close();
    });

    let windows = 0;
    /** Inserts a Task. @returns its id. */
    const insertTask = (store = writer) => {
      const window_start = ++windows * day;
      const window = { window_start, window_end: window_start + day, deadline: window_start + day };
      return store.transaction(me, async (tables) => {
        const [id = 0] = await tables.of(Task).insert([newRow(Task, { ...template, ...window })]);
        return id;
      });
    };
    const cancel = (id: number) =>
      writer.transaction(me, async (tables) => {
        const [row] = await tables.of(Task).find({ where: [['id', '=', id]] });
        await tables.of(Task).update([{ row: row as TaskRow, set: { state: 'cancelled', reason: 'not needed' } }]);
      });
    /** The id of the entry in the audit log of the insertion of a Task. */
    const entryOf = async (id: number) => {
      const where = [
        ['entity_type', '=', 'Task'],
        ['entity_id', '=', id],
      ] as const;
      return (await writer.read((tables) => tables.of(AuditLog).find({ where })))[0]?.id ?? 0;
    };
    const take = async (watch: AsyncGenerator<TaskRow, void>, count: number) => {
      const tasks: TaskRow[] = [];
      while (tasks.length < count) tasks.push((await watch.next()).value as TaskRow);
      return tasks.map(({ id, state, reason }) => [id, state, reason]);
    };

    /** A watch that has begun: it has yielded a Task that was inserted after the call. */
    const openWatch = async () => {
      const watch = watching.tasks.watch();
      let next: IteratorResult<TaskRow, void> | undefined;
      const first = watch.next().then((result) => {
        next = result;
      });
      let inserted = 0;
      while (!next) inserted = await insertTask();
      await first;
      while (next?.value?.id !== inserted) next = await watch.next();
      return watch;
    };

    it('yields the changes of another process once and in order, before and after they are sealed', async () => {
      const watch = await openWatch();
      const id = await insertTask();
      expect(await take(watch, 1)).to.deep.equal([[id, 'open', null]]);
      await sealing.start();
      await cancel(id);
      const second = await insertTask();
      await cancel(second);
      expect(await take(watch, 3)).to.deep.equal([
        [id, 'cancelled', 'not needed'],
        [second, 'open', null],
        [second, 'cancelled', 'not needed'],
      ]);
      await watch.return();
    });

    if (kind.includes('PostgreSQL'))
      it('yields a change whose transaction commits after that of a later one', async () => {
        const watch = await openWatch();
        const { promise: release, resolve } = Promise.withResolvers<void>();
        const { promise: isWritten, resolve: written } = Promise.withResolvers<void>();
        const slowStore: Store = {
          kind: 'postgresql',
          transaction: (work, options) =>
            shared.stores[0].transaction(async (tables) => {
              const result = await work(tables);
              written();
              await release;
              return result;
            }, options),
          close: async () => undefined,
        };
        const slow = insertTask(writer.over(slowStore));
        await isWritten;
        const quickId = await insertTask();
        expect(await take(watch, 1)).to.deep.equal([[quickId, 'open', null]]);
        resolve();
        expect(await take(watch, 1)).to.deep.equal([[await slow, 'open', null]]);
        expect(await entryOf(quickId)).to.be.greaterThan(await entryOf(await slow));
        await watch.return();
      });
  });

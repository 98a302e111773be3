/** A shop with its own MikroORM: an order and the job that confirms it are committed together, or neither is. */
import { Core, defineFunction, functions, integer } from '@horarium/core';
import { nodePorts } from '@horarium/core/node';
import { defineEntity, MikroORM, p } from '@mikro-orm/sqlite';
import { mikroOrmStore } from 'horarium/mikro-orm';

const Order = defineEntity({
  name: 'Order',
  tableName: 'shop_order',
  properties: { id: p.integer().primary(), customer: p.text() },
});
await using orm = await MikroORM.init({
  dbName: 'shop.sqlite',
  entities: [Order],
  // The schema tools of the shop leave the tables of Horarium alone.
  schemaGenerator: { skipTables: [/^horarium_/] },
});
await orm.schema.update();
const store = await mikroOrmStore({ orm });
await store.schema.migrate();

await using core = new Core({ ...nodePorts({ vaultKeyFile: 'vault.key' }), store, executors: [functions()] });
const confirmed = Promise.withResolvers<number>();
const confirmOrder = defineFunction({
  environment: { ORDER: integer().required() },
  run: ({ values }) => confirmed.resolve(values.ORDER),
});
const confirm = await core.onDemand('confirmOrder', confirmOrder);
await core.start();
const me = core.actor('the shop');

/** Places an order, and schedules its confirmation in the same transaction. */
async function order(customer: string, isPaid: boolean): Promise<void> {
  await orm.em.fork().transactional(async (em) => {
    const placed = em.create(Order, { customer });
    await em.flush();
    const job = { runtemplate_id: confirm.id, environment: { ORDER: `${placed.id}` } };
    await core.with(store.within(em)).jobs.schedule(me, job);
    if (!isPaid) throw new Error(`the order of ${customer} is not paid`);
  });
}

await order('Jane', true);
await order('John', false).catch((error) => console.log(error.message));
console.log(`order ${await confirmed.promise} is confirmed`);
const [orders, jobs] = [await orm.em.fork().count(Order), await core.jobs.list(me)];
console.log(`orders: ${orders}, jobs: ${jobs.rows.length}`);

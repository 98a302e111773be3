/** A shop with its own MikroORM: an order and the job that confirms it are committed together, or neither is. */
import { Core, functions } from '@horarium/core';
import { nodePorts } from '@horarium/core/node';
import { EntitySchema } from '@mikro-orm/core';
import { MikroORM } from '@mikro-orm/sqlite';
import { mikroOrmStore } from 'horarium/mikro-orm';

interface Order {
  id: number;
  customer: string;
}
const Order = new EntitySchema<Order>({
  name: 'Order',
  tableName: 'shop_order',
  properties: { id: { type: 'integer', primary: true, autoincrement: true }, customer: { type: 'text' } },
});

const orm = await MikroORM.init({
  dbName: 'shop.sqlite',
  entities: [Order],
  // The schema tools of the shop leave the tables of Horarium alone.
  schemaGenerator: { skipTables: [/^horarium_/] },
});
await orm.schema.update();
const store = await mikroOrmStore({ orm });
await store.schema.migrate();

const confirmed = Promise.withResolvers<void>();
const confirm = functions({
  confirm: async ({ environment }) => {
    console.log(`confirmed order ${environment['ORDER']}`);
    confirmed.resolve();
  },
});
await using core = new Core({ ...nodePorts({ vaultKeyFile: 'vault.key' }), store, executors: [confirm] });
const me = core.actor('the shop');
const environment = { ORDER: { type: 'integer', required: true } };
const app = await core.apps.save(me, { code: 'confirm', name: 'Confirm', executable: 'confirm', environment });
const company = await core.companies.save(me, { code: 'shop', name: 'The shop' });
const owned = { code: 'confirm', company_id: company.id, app_id: app.id };
const template = await core.runTemplates.save(me, {
  ...owned,
  name: 'Confirm an order',
  interval: 'none',
  executor: 'function',
  overlap: 'allow',
});
await core.start();

/** Places an order, and schedules its confirmation in the same transaction. */
async function order(customer: string, isPaid: boolean): Promise<void> {
  await orm.em.fork().transactional(async (em) => {
    const placed = em.create(Order, { customer });
    await em.flush();
    const job = { runtemplate_id: template.id, environment: { ORDER: `${placed.id}` } };
    await core.with(store.within(em)).jobs.schedule(me, job);
    if (!isPaid) throw new Error(`the order of ${customer} is not paid`);
  });
}

await order('Jane', true);
await order('John', false).catch((error) => console.log(error.message));
await confirmed.promise;
const [orders, jobs] = [await orm.em.fork().count(Order), await core.jobs.list(me)];
console.log(`${orders} order, ${jobs.rows.length} job`);
await core.stop();
await orm.close();

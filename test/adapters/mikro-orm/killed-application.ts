import { Core, functions } from '@horarium/core';
import { nodePorts } from '@horarium/core/node';
import { EntitySchema, type MikroORM } from '@mikro-orm/core';
import { MikroORM as PostgresOrm } from '@mikro-orm/postgresql';
import { type SqlEntityManager, MikroORM as SqliteOrm } from '@mikro-orm/sqlite';
import { mikroOrmStore } from '../../../adapters/mikro-orm/application-store.ts';

interface Order {
  id: number;
  customer: string;
}
const Order = new EntitySchema<Order>({
  name: 'Order',
  tableName: 'shop_order',
  properties: { id: { type: 'integer', primary: true, autoincrement: true }, customer: { type: 'text' } },
});

const [, , database = '', step = ''] = process.argv;
const common = { entities: [Order], schemaGenerator: { skipTables: [/^horarium_/] } };
const orm: MikroORM = database.startsWith('postgres')
  ? await PostgresOrm.init({ ...common, clientUrl: database })
  : await SqliteOrm.init({ ...common, dbName: database });
const store = await mikroOrmStore({ orm });
// No job runs, because the core is never started.
const core = new Core({ ...nodePorts({ vaultKeyFile: 'vault.key' }), store, executors: [functions({})] });
const me = core.actor('the shop');

/** Places an order with a job, and kills the process before or after the commit. */
async function order(when: 'before' | 'after'): Promise<void> {
  const [template] = (await core.runTemplates.list(me)).rows;
  await (orm.em as SqlEntityManager).fork().transactional(async (em) => {
    em.create(Order, { customer: 'Jane' });
    await em.flush();
    const inside = core.with(store.within(em as SqlEntityManager));
    await inside.jobs.schedule(me, { runtemplate_id: template?.id });
    if (when === 'before') process.kill(process.pid, 'SIGKILL');
  });
  process.kill(process.pid, 'SIGKILL');
}

if (step === 'prepare') {
  await orm.schema.create();
  await store.schema.migrate();
  const app = await core.apps.save(me, { name: 'Confirm', executable: 'confirm' });
  const company = await core.companies.save(me, { code: 'shop', name: 'The shop' });
  const fields = { interval: 'none', executor: 'function', app_id: app.id, company_id: company.id };
  await core.runTemplates.save(me, { name: 'Confirm', ...fields });
} else if (step === 'count') {
  const orders = await orm.em.fork().count(Order);
  const jobs = await core.jobs.list(me);
  const entries = await core.auditLog.list(me, { filters: { entity_type: 'Job' } });
  console.log(`${orders} orders, ${jobs.rows.length} jobs, ${entries.rows.length} entries of jobs`);
} else await order(step as 'before' | 'after');
await orm.close();

import { Core, functions, type RunTemplateRow } from '@horarium/core';
import { nodePorts } from '@horarium/core/node';
import type { SqlEntityManager } from '@mikro-orm/sqlite';
import { mikroOrmStore } from '../../../adapters/mikro-orm/application-store.ts';
import { Order, openShop } from '../../support/store/shop-orm.ts';

const [, , database = '', step = ''] = process.argv;
const orm = await openShop(database);
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
    await inside.jobs.schedule(me, { runtemplate_id: (template as RunTemplateRow).id });
    if (when === 'before') process.kill(process.pid, 'SIGKILL');
  });
  process.kill(process.pid, 'SIGKILL');
}

if (step === 'prepare') {
  await orm.schema.create();
  await store.schema.migrate();
  const app = await core.apps.save(me, { name: 'Confirm', executable: 'confirm' });
  const company = await core.companies.save(me, { code: 'shop', name: 'The shop' });
  const owners = { app_id: app.id, company_id: company.id };
  await core.runTemplates.save(me, { name: 'Confirm', interval: 'none', executor: 'function', ...owners });
} else if (step === 'count') {
  const orders = await orm.em.fork().count(Order);
  const jobs = await core.jobs.list(me);
  const entries = await core.auditLog.list(me, { filters: { entity_type: 'Job' } });
  console.log(`${orders} orders, ${jobs.rows.length} jobs, ${entries.rows.length} entries of jobs`);
} else await order(step as 'before' | 'after');
await orm.close();

import { Core, functions, memoryStore } from '@horarium/core';
import { newVaultKey, nodePorts } from '@horarium/core/node';

await using core = new Core({
  ...nodePorts({ vaultKey: newVaultKey() }),
  store: memoryStore(),
  executors: [
    functions({ checkStock: async ({ environment, log }) => log(`warehouse ${environment['WAREHOUSE']}: all there`) }),
  ],
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => core.stop());

const me = core.actor('the shop');
const app = await core.apps.save(me, {
  name: 'Check the stock',
  executable: 'checkStock',
  environment: { WAREHOUSE: { type: 'string', required: true } },
});
const company = await core.companies.save(me, { code: 'shop', name: 'The shop' });
const template = await core.runTemplates.save(me, {
  name: 'Check warehouse 7 every second',
  app_id: app.id,
  company_id: company.id,
  executor: 'function',
  interval: 'custom',
  cron: '* * * * * *',
  environment: { WAREHOUSE: '7' },
});
await core.start();
for await (const task of core.tasks.watch(me)) {
  if (task.runtemplate_id !== template.id || task.fulfilled_by_job_id === null) continue;
  const { pieces } = await core.jobs.output(me, task.fulfilled_by_job_id);
  const output = pieces.map(({ data }) => new TextDecoder().decode(data)).join('');
  console.log(new Date(task.window_start).toISOString(), task.state, output.trimEnd());
}

import { Core, functions } from '@horarium/core';
import { nodePorts } from '@horarium/core/node';
import { openStore } from 'horarium/mikro-orm';

await using store = await openStore({ url: 'sqlite:jobs.sqlite' });
await store.schema?.migrate();
await using core = new Core({ ...nodePorts({ vaultKeyFile: 'vault.key' }), store, executors: [functions()] });
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => core.stop());

await core.every('* * * * * *', 'checkStock', async ({ log }) => {
  await log('all there');
});
await core.start();
for await (const task of core.tasks.watch())
  console.log(new Date(task.window_start).toISOString(), task.state, task.reason ?? '');

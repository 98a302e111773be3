import { Core, functions, memoryStore } from '@horarium/core';
import { nodePorts } from '@horarium/core/node';

await using core = new Core({ ...nodePorts(), store: memoryStore(), executors: [functions()] });
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => core.stop());

await core.every('* * * * * *', 'checkStock', async ({ log }) => {
  await log('all there');
});
await core.start();
for await (const task of core.tasks.watch())
  console.log(new Date(task.window_start).toISOString(), task.state, task.reason ?? '');

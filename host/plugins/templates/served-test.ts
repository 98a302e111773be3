/**
 * Writes the module `plugin.test.js` of a plugin whose kind has no contract: it uses the plugin on a core in memory, in which
 * a Task was fulfilled.
 * @param cases the tests, which call `coreWithTask`.
 */
export function servedTest(cases: string): string {
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Core, functions, memoryStore, systemClock } from '@horarium/core';
import { pluginContract } from '@horarium/core/contracts';
import { nodePorts } from '@horarium/core/node';
import plugin from './plugin.js';

/** Returns a core that keeps all in memory, with one template whose first Task is fulfilled. */
async function coreWithTask() {
  const core = new Core({ ...nodePorts(), store: memoryStore(), executors: [functions()] });
  await core.every('* * * * * *', 'nothing', async () => {});
  await core.start();
  for await (const { state } of core.tasks.watch()) if (state === 'fulfilled') return core;
}

test('can be loaded', () => pluginContract(plugin, {}, systemClock));

${cases}`;
}

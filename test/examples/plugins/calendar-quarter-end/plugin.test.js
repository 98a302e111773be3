import { test } from 'node:test';
import { systemClock } from '@horarium/core';
import { pluginContract } from '@horarium/core/contracts';
import fixtures from './fixtures.js';
import plugin from './plugin.js';

for (const { title, check } of await pluginContract(plugin, fixtures, systemClock)) test(title, check);

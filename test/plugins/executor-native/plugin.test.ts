import { rmSync } from 'node:fs';
import { HorariumError, preparePlugin } from '@horarium/core';
import { StandingClock } from '@horarium/core/contracts';
import type { Executor } from '@horarium/core/plugin';
import { expect } from 'chai';
import plugin from '../../../plugins/executor-native/plugin.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';

describe('The plugin of the native executor', () => {
  let folder: string;
  let logged: string[];
  let executor: Executor | null;
  beforeEach(() => {
    folder = temporaryFolder('plugin');
    logged = [];
  });
  afterEach(async () => {
    await executor?.close?.();
    rmSync(folder, { recursive: true });
  });

  async function start(options: object): Promise<void> {
    const { setup } = preparePlugin(plugin, options, new StandingClock(), (name, sentence) => {
      logged.push(`${name}: ${sentence}`);
    });
    executor = plugin.executors?.(setup as never)[0] as Executor;
    await plugin.start?.(setup as never);
  }

  it('logs once what contains jobs', async () => {
    await start({ folder });
    await eventually('it is logged', () => logged.length === 1);
    expect(logged[0]).to.match(/^executor-native: jobs are contained by (cgroup|pid-namespace|bubblewrap|none)$/);
  });

  it('starts without waiting for it, and logs why jobs cannot run', async () => {
    await start({ folder: '/etc/passwd/jobs' });
    await eventually('it is logged', () => logged.length === 1);
    expect(logged[0]).to.match(/^executor-native: The folder for jobs could not be created: .*\/etc\/passwd/);
  });

  it('stops the start where the containment that was asked for cannot be had', async () => {
    const error = await start({ folder: '/etc/passwd/jobs', containment: 'none' }).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(HorariumError);
    expect((error as Error).message).to.match(/^The folder for jobs could not be created: /);
    for (const [options, message] of [
      [{ containment: 'jail' }, /containment must be one of/],
      [{ max_output: -1 }, /max_output must be/],
      [{ grace: 0.5 }, /grace must be/],
    ] as const)
      expect(() => preparePlugin(plugin, options, new StandingClock())).to.throw(message);
  });
});

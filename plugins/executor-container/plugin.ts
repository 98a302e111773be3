import { tmpdir } from 'node:os';
import { definePlugin } from '@horarium/core/plugin';
import { endDeadLaunchers } from '../process/launcher/register.ts';
import { containerExecutor, containerOptions } from './container-executor.ts';

/** Runs jobs in containers, by docker and podman. */
export default definePlugin({
  name: 'executor-container',
  api: 1,
  options: containerOptions,
  executors: (setup) => (['docker', 'podman'] as const).map((name) => containerExecutor(name, setup)),
  start: ({ options: { folder }, log }) => {
    const removed = endDeadLaunchers(folder ?? tmpdir()).then((remove) => remove());
    void removed.then((launchers) => {
      for (const { succeeded, problems } of launchers) {
        if (succeeded > 0) log(`removed ${succeeded} containers whose service died`);
        for (const problem of problems) log(`a container whose service died remains: ${problem}`);
      }
    });
  },
});

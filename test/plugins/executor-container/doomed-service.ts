import { readdirSync, readFileSync } from 'node:fs';
import { systemClock } from '@horarium/core';
import { attemptOf } from '@horarium/core/contracts';
import { containerExecutor } from '../../../plugins/executor-container/container-executor.ts';
import { limits } from './stand-in.ts';

// A service that runs a container and then waits to be killed. It prints the process of its watchdog.
const cli = JSON.parse(process.argv[2] as string);
const { executor, owner } = containerExecutor({
  name: 'podman',
  clock: systemClock,
  cli,
  limits,
  folder: cli.environment.STAND_IN,
});
const sleeping = { executable: 'sleep', arguments: ['1000'], image: 'image:1' };
executor.start(attemptOf(sleeping), {
  started: () =>
    process.stdout.write(`${JSON.stringify({ watchdog: childNamed('watchdog/main'), host: owner.host })}\n`),
  output() {},
});

/** The child of this process with that text in its arguments. */
function childNamed(text: string): number | undefined {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
        return parent === String(process.pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
      } catch {
        return false;
      }
    });
  return Number(children[0]);
}

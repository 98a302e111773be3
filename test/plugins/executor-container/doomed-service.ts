import { systemClock } from '@horarium/core';
import { attemptOf } from '@horarium/core/contracts';
import { containerExecutor } from '../../../plugins/executor-container/container-executor.ts';
import { limits } from './stand-in.ts';

// A service that runs a container and then waits to be killed. It prints a line when the container runs, and renews its lease
// once, for that many milliseconds.
const cli = JSON.parse(process.argv[2] as string);
const lease = Number(process.argv[3]);
const executor = containerExecutor({
  name: 'podman',
  clock: systemClock,
  cli,
  limits,
  folder: cli.environment.STAND_IN,
});
const sleeping = { executable: 'sleep', arguments: ['1000'], image: 'image:1' };
const started = () => {
  executor.keepAlive?.(lease);
  process.stdout.write('started\n');
};
executor.start(attemptOf(sleeping), { started, output() {} });

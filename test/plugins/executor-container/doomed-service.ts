import { attemptOf } from '@horarium/core/contracts';
import { podmanExecutor } from './stand-in.ts';

// A service that runs a container and then waits to be killed. It prints a line when the container runs, and renews its lease
// once, for that many milliseconds.
const { program: podman, environment } = JSON.parse(process.argv[2] as string);
const lease = Number(process.argv[3]);
const executor = podmanExecutor({ podman, environment, folder: environment.STAND_IN });
const sleeping = { executable: 'sleep', arguments: ['1000'], image: 'image:1' };
const started = () => {
  executor.keepAlive?.(lease);
  process.stdout.write('started\n');
};
executor.start(attemptOf(sleeping), { started, output() {} });

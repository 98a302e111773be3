import { Socket } from 'node:net';
import { closeInherited } from './close-inherited.ts';
import { Launcher } from './launcher.ts';

// A name of its own: whoever kills the server by name leaves the one alive that ends the server's jobs.
process.title = 'job-launcher';
// The server decides when its jobs end; a signal to all of them together must not take the launcher first.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});

closeInherited(4);

const launcher = new Launcher(new Socket({ fd: 3, readable: true, writable: true }));

process.on('uncaughtException', (error) => {
  launcher.killNow();
  process.stderr.write(`The launcher of native jobs failed: ${error.stack}\n`);
  process.exit(70);
});

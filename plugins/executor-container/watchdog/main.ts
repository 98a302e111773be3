import { createInterface } from 'node:readline';
import { callCli } from '../container-cli.ts';
import { ownerLabel } from '../container-owner.ts';
import type { WatchdogMessage } from '../watchdog-link.ts';

// A process of its own, which outlives the service: it removes the containers of an executor when the service dies, or
// does not renew its lease in time. It ends with its input.

let cli: Extract<WatchdogMessage, { cli: unknown }> | undefined;
let timer: NodeJS.Timeout | undefined;

async function removeAll(): Promise<void> {
  if (!cli) return;
  const filter = `label=${ownerLabel}=${cli.owner}`;
  // One that is being created at this moment appears in a later list.
  for (let round = 0; round < 3; round++) {
    const { stdout } = await callCli(cli.cli, ['ps', '--all', '--quiet', '--filter', filter]);
    const ids = stdout.split('\n').filter(Boolean);
    if (ids.length > 0) await callCli(cli.cli, ['rm', '--force', '--volumes', ...ids]);
  }
}

async function lapse(): Promise<void> {
  process.stdout.write('lapsed\n');
  await removeAll();
}

let isClosed = false;
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const message = JSON.parse(line) as WatchdogMessage;
  if ('cli' in message) cli = message;
  else if ('lease' in message) {
    clearTimeout(timer);
    timer = setTimeout(lapse, message.lease);
  } else isClosed = true;
});
lines.on('close', async () => {
  clearTimeout(timer);
  if (!isClosed) await removeAll();
  process.exit();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.stdout.on('error', () => undefined);

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { removeOrphans } from '../../../plugins/executor-container/remove-orphans.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { StandIn } from './stand-in.ts';

const program = fileURLToPath(new URL('./doomed-service.js', import.meta.url));

describe('The containers of a service that is killed by kill -9', () => {
  for (const withWatchdog of [false, true])
    it(`are removed ${withWatchdog ? 'by the next service on the machine, when its watchdog was killed too' : 'by its watchdog at once'}`, async () => {
      const standIn = new StandIn();
      const service = spawn(process.execPath, [program, JSON.stringify(standIn.cli)], {
        env: {},
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [line] = await once(service.stdout, 'data');
      const { watchdog, host } = JSON.parse(String(line));
      const [container] = standIn.containers();
      const pid = Number(standIn.read(`containers/${container}/pid`));
      if (withWatchdog) process.kill(watchdog, 'SIGKILL');
      service.kill('SIGKILL');
      await once(service, 'exit');
      if (withWatchdog) {
        expect(standIn.containers()).to.deep.equal([container]);
        expect(await removeOrphans(standIn.cli, host, new AbortController().signal)).to.equal(1);
      }
      await eventually('its program has ended', () => standIn.containers().length === 0 && !isRunning(pid));
    });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

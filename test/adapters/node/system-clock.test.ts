import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { idleClock, systemClock } from '../../../adapters/node/system-clock.ts';
import { clockContract } from '../../contracts/clock.ts';

const module = import.meta.resolve('../../../adapters/node/system-clock.js');

for (const [name, clock] of [
  ['systemClock', systemClock],
  ['idleClock', idleClock],
] as const) {
  describe(name, () => {
    clockContract(clock, (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)));
  });
}

describe('a sleep of idleClock', () => {
  it('does not keep the process from ending', async () => {
    const script = `import { idleClock } from '${module}'; void idleClock.sleep(2 ** 40); process.stdout.write('on');`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      timeout: 20_000,
    });
    expect(stdout).to.equal('on');
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { processesWith } from '../../../support/program/processes.ts';
import { PairsContext } from '../context.ts';
import { ProcessGroup } from '../process-group.ts';
import { runBench } from './bench-program.ts';

describe('A bench of another checkout', () => {
  const never = () => false;
  const wait = `const { spawn } = require('node:child_process');
    spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']); setInterval(() => {}, 1000);`;

  /** Makes a checkout whose benches are this program. */
  function checkoutOf({ folder }: PairsContext, code: string) {
    const bench = join(folder, 'dist/test/bench');
    mkdirSync(bench, { recursive: true });
    writeFileSync(join(bench, 'main.js'), code);
    return { name: 'a1df491', root: folder };
  }

  it('is run by its name, and its figures are read', async () => {
    await using context = new PairsContext(new AbortController().signal);
    const side = checkoutOf(context, `console.log(process.argv.slice(2).join() + '   7 ms')`);
    const { figures, failure } = await runBench(side, 'shell', context, never);
    expect([...figures]).to.deep.equal([['shell', 7]]);
    expect(failure).to.equal(null);
  });

  it('is stopped with all that it started when it has printed enough', async () => {
    await using context = new PairsContext(new AbortController().signal);
    const side = checkoutOf(context, `${wait} console.log('first   1 ms\\nsecond   2 ms')`);
    const { figures, failure } = await runBench(side, 'burst', context, (printed) => printed.has('first'));
    expect([figures.get('first'), failure]).to.deep.equal([1, null]);
    expect(processesWith(context.folder)).to.deep.equal([]);
  });

  it('is stopped with all that it started when the run is interrupted', async () => {
    const interrupt = new AbortController();
    await using context = new PairsContext(interrupt.signal);
    const side = checkoutOf(context, `${wait} console.log('first   1 ms')`);
    const reason = new Error('interrupted');
    const running = runBench(side, 'burst', context, (printed) => {
      if (printed.has('first')) interrupt.abort(reason);
      return false;
    });
    expect(await running.catch((error) => error)).to.equal(reason);
    expect(processesWith(context.folder)).to.deep.equal([]);
  });

  it('that fails keeps the figures that it has printed, and says why', async () => {
    await using context = new PairsContext(new AbortController().signal);
    const side = checkoutOf(context, `console.log('first   1 ms'); console.error('It broke.'); process.exitCode = 2`);
    const { figures, failure } = await runBench(side, 'growth', context, never);
    expect(figures.get('first')).to.equal(1);
    expect(failure).to.equal('the bench growth ended with 2. It broke.');
  });

  it('belongs to a group that ends when it takes too long', async () => {
    await using context = new PairsContext(new AbortController().signal);
    const options = { name: 'late', folder: context.folder, signal: context.signal, maxMinutes: 1e-6 };
    await using group = new ProcessGroup(options, (more) =>
      spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore', ...more }),
    );
    const [, signal] = await once(group.child, 'exit');
    expect([signal, group.isLate]).to.deep.equal(['SIGTERM', true]);
  });
});

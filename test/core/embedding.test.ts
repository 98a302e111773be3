import { executorContract } from '@horarium/core/contracts';
import { expect } from 'chai';
import { clockContract } from '../contracts/clock.ts';
import { type Call, FunctionExecutor, type JobFunction } from '../examples/embedding/function-executor.ts';
import { clock } from '../examples/embedding/node-adapters.ts';
import { Shop } from '../examples/embedding/shop.ts';
import { sourceFiles } from '../house/source-files.ts';
import { defineContractTests } from '../support/mocha/define-contract-tests.ts';

describe('A program that embeds the core', () => {
  it('runs its own functions as jobs, and stores a Task with its outcome for each window', async () => {
    const calls: Call[] = [];
    const { promise: thirdCall, resolve } = Promise.withResolvers<void>();
    const shop = new Shop(
      async (call) => {
        calls.push(call);
        await call.write('all there\n');
        if (calls.length === 3) resolve();
        if (calls.length === 2) throw new Error('the scales are broken');
      },
      Buffer.alloc(32, 1),
    );
    await shop.open();
    await thirdCall;
    await shop.close();
    const tasks = await shop.tasks();
    expect(tasks.slice(0, 3).map(({ state, attempts }) => [state, attempts])).to.deep.equal([
      ['fulfilled', 1],
      ['failed', 1],
      ['fulfilled', 1],
    ]);
    expect(tasks[1]?.reason).to.equal('the last attempt failed (the scales are broken); there was only one attempt');
    expect(calls[0]?.environment).to.include({ HORARIUM_COMPANY_CODE: 'shop', HORARIUM_TASK_ID: '1' });
    expect(await shop.isAuditIntact()).to.equal(true);
  });

  it('imports only the public entry point of the core and Node', () => {
    const files = sourceFiles().filter(({ path }) => path.startsWith('test/examples/embedding/'));
    expect(files).to.have.length(3);
    const foreign = files.flatMap(({ imports }) =>
      imports.filter((name) => name !== '@horarium/core' && !/^(node:|test\/examples\/embedding\/)/.test(name)),
    );
    expect(foreign).to.deep.equal([]);
  });

  clockContract(clock, (duration) => clock.sleep(duration));

  const program = (executable: string) => ({ executable, arguments: [] });
  const functions: Readonly<Record<string, JobFunction>> = {
    succeeds: async () => undefined,
    fails: async () => 3,
    async writes({ write }) {
      await write('out');
      await write('err', 'stderr');
    },
    async writesMebibyte({ write }) {
      for (let pieces = 0; pieces < 16; pieces++) void write('x'.repeat(65_536));
    },
    runsUntilStopped: ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
  };
  const programs = {
    succeeds: program('succeeds'),
    fails: program('fails'),
    writes: program('writes'),
    writesMebibyte: program('writesMebibyte'),
    runsUntilStopped: program('runsUntilStopped'),
    missing: program('missing'),
  };
  defineContractTests(executorContract(() => ({ executor: new FunctionExecutor(functions), programs }), clock));
});

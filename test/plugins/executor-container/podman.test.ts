import { globSync, readFileSync } from 'node:fs';
import { attemptOf } from '@horarium/core/contracts';
import type { Executor } from '@horarium/core/plugin';
import { expect } from 'chai';
import { podman, TestPodman } from '../../support/podman/test-podman.ts';
import { limits, podmanExecutor, runAttempt } from './stand-in.ts';

const image = 'localhost/horarium-test:1';

describe('A container of the real podman', () => {
  let executor: Executor;
  let machine: TestPodman | undefined;
  const containers = () => machine?.call('ps', '--all', '--quiet');
  const shell = (script: string) => ({ executable: 'sh', arguments: ['-c', script], image });

  before(async function () {
    if (!podman) return this.skip();
    machine = new TestPodman();
    const files = await machine.makeFiles(['sh', 'cat', 'sleep', 'printf']);
    if (!machine.importImage(image, files)) return this.skip();
    const { environment, folder } = machine;
    const options = { podman, environment, grace: 1, folder, ...limits, arguments: ['--pull=never'] };
    executor = podmanExecutor(options, console.error) as Executor;
  });
  after(async () => {
    await executor?.close?.();
    machine?.[Symbol.dispose]();
  });

  it('runs the program with its arguments, environment and input, and is removed', async () => {
    const given = {
      ...shell('cat; printf "%s" "$A|$B"; echo err >&2; exit 5'),
      stdin: 'in ',
      environment: { A: ' "a" ', B: 'b\nc' },
    };
    const result = await runAttempt(executor, given);
    expect(result).to.include({ exitCode: 5, reason: null, stdout: 'in  "a" |b\nc', stderr: 'err\n' });
    expect(containers()).to.equal('');
  });

  it('says which program the image does not hold, and which image there is not', async () => {
    const noProgram = await runAttempt(executor, { executable: 'no-such-program', image });
    expect(noProgram.exitCode).to.equal(127);
    expect(noProgram.reason).to.match(
      /^no-such-program could not be started in localhost.horarium-test:1: .*not found/,
    );
    const noImage = await runAttempt(executor, { executable: 'sh', image: 'localhost/no-such-image:1' });
    expect(noImage.exitCode).to.equal(126);
  });

  it('leaves the files that its App names', async () => {
    const given = attemptOf({
      ...shell('pwd >where.txt; echo "$HORARIUM_WORKDIR" >>where.txt'),
      resultFile: 'where.txt',
    });
    const { files } = await executor.start(given, { started() {}, output() {} }).done;
    expect(files.map(({ content }) => String(content))).to.deep.equal(['/horarium\n/horarium\n']);
  });

  it('is stopped', async () => {
    const running = executor.start(attemptOf(shell('sleep 1000')), {
      started: () => running.stop('not needed'),
      output() {},
    });
    expect((await running.done).reason).to.equal('not needed');
    expect(containers()).to.equal('');
  });

  it('is removed when its launcher is killed', async () => {
    const [launcher] = globSync(`${machine?.folder}/horarium-jobs-*/launcher`);
    const running = executor.start(attemptOf(shell('trap "exit" TERM; sleep 1000 & wait')), {
      started: () => process.kill(JSON.parse(readFileSync(launcher as string, 'utf8')).pid, 'SIGKILL'),
      output() {},
    });
    expect(await running.done).to.include({ lost: true });
    expect(containers()).to.equal('');
  });
});

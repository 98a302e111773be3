import { expect } from 'chai';
import { type SandboxName, sandboxNames } from '../../../../plugins/process/sandbox/sandbox.ts';
import { type User, userNamed } from '../../../../plugins/process/users/users.ts';
import { eventually } from '../../../support/mocha/eventually.ts';
import { livingProcesses } from '../../../support/program/processes.ts';
import { daemonise, endSleeping, NativeRun, sleeping, uniqueSleep } from '../../executor-native/native-run.ts';
import { canServe, Server } from '../../executor-native/server-process.ts';

/** What names a daemon that has emptied its environment as well is the kernel only. */
const emptied = 'env -i';
const isRoot = process.getuid?.() === 0;
const nobody = userNamed('nobody');

describe('The sandbox of native jobs', () => {
  for (const sandbox of sandboxNames) {
    describe(sandbox, () => {
      let native: NativeRun;
      before(async function () {
        native = new NativeRun({ grace: 0.2, containment: sandbox });
        try {
          expect(await native.executor.prepare()).to.equal(sandbox);
        } catch (error) {
          expect((error as Error).message).to.match(
            new RegExp(`^This machine cannot contain native jobs by ${sandbox}: `),
          );
          this.skip();
        }
      });
      after(() => native.close());
      afterEach(endSleeping);

      describeJobs(sandbox, () => native);
      describeDaemons(sandbox, () => native);
      describeDeaths(sandbox);
    });
  }

  describe('for a server that is not root', () => {
    const user = nobody as User;
    before(function () {
      if (!nobody || !canServe(nobody)) this.skip();
    });

    it('refuses jobs where the one that was asked for cannot be had', async () => {
      // The kernel lets this user neither create cgroups nor move processes between them.
      const server = new Server({ user, sandbox: 'cgroup' });
      server.send({ run: 'echo never' });
      await eventually('the job is refused', () => server.ended.length === 1);
      expect(server.ended[0]).to.include({ exitCode: 126 });
      expect(server.ended[0]?.reason).to.match(/^This machine cannot contain native jobs by cgroup: EACCES/);
      await eventually('the folders of the launcher are removed', () => server.isClean);
      await server.end();
    });

    for (const sandbox of ['pid-namespace', 'bubblewrap'] as const) {
      it(`ends a daemon by ${sandbox}, in a user namespace`, async function () {
        let server = new Server({ user, sandbox });
        const sleep = uniqueSleep();
        server.send({ run: `id -u; ${daemonise(sleep, emptied)} sleep ${sleep}` });
        await eventually('it runs or is refused', () => sleeping(sleep) === 2 || server.ended.length === 1);
        const isRefused = /cannot contain/.test(server.ended[0]?.reason ?? '');
        if (!isRefused) {
          const { messages } = server;
          await eventually('it runs as that user', () => messages.some(({ stdout }) => stdout === `${user.uid}\n`));
          const areGone = () => eventually('all are gone', () => sleeping(sleep) === 0);
          server = await killBoth(server, { user, sandbox }, areGone);
          server.send({ run: 'true' });
          await eventually('the next job ends', () => server.ended.length === 1);
        }
        await server.end();
        if (isRefused) this.skip();
      });
    }
  });

  it('is the best that the machine offers, where none is asked for', async () => {
    const chosen = new NativeRun();
    const best = await chosen.executor.prepare();
    for (const better of sandboxNames.slice(0, sandboxNames.indexOf(best))) {
      const asked = new NativeRun({ containment: better });
      await asked.executor.prepare().then(
        () => expect.fail(`${better} is better than ${best}`),
        (error: Error) => expect(error.message).to.contain(better),
      );
      await asked.close();
    }
    await chosen.close();
  });
});

function describeJobs(sandbox: SandboxName, native: () => NativeRun): void {
  it('leaves the exit code, the output, stdin and the working directory of a job as they are', async () => {
    const outcome = await native().sh('cat; pwd; echo oops >&2; exit 7', { stdin: 'in\n' });
    expect(outcome).to.include({ exitCode: 7, signal: null, reason: null, stderr: 'oops\n' });
    expect(outcome.stdout).to.match(new RegExp(`^in\n${native().folder}/jobs/.*\n$`));
  });

  it(`reports the end by a signal${sandbox === 'bubblewrap' ? ' as 128 more than its number' : ''}`, async () => {
    const killed = sandbox === 'bubblewrap' ? { exitCode: 143, signal: null } : { exitCode: null, signal: 'SIGTERM' };
    expect(await native().sh('kill -TERM $$')).to.include(killed);
    expect(await native().sh('exit 143')).to.include({ exitCode: 143, signal: null });
  });

  it('sends SIGTERM to all processes of a job, and gives them their grace', async () => {
    const polite = new NativeRun({ grace: 60, containment: sandbox });
    const child = `sh -c 'trap "echo child; exit" TERM; while :; do sleep 0.01; done'`;
    const { running, done, output } = polite.start({
      executable: 'sh',
      arguments: ['-c', `trap 'wait; echo parent; exit 9' TERM; ${child} & sleep 0.3; echo ready; wait`],
    });
    await eventually('it is ready', () => output.stdout === 'ready\n');
    running.stop('Cancelled by ada.');
    expect(await done).to.include({ exitCode: 9, stdout: 'ready\nchild\nparent\n', reason: 'Cancelled by ada.' });
    await polite.close();
  });

  it('leads a session and a process group of its own', async () => {
    const { stdout } = await native().sh('ps -o pid=,pgid=,sid= -p $$');
    const [pid, group, session] = stdout.trim().split(/\s+/);
    expect([group, session]).to.deep.equal([pid, pid]);
  });

  it('reports a process id that operators find', async () => {
    const { started, running, done } = native().start({ executable: 'sleep', arguments: [uniqueSleep()] });
    const pid = await started;
    expect(livingProcesses().find((each) => each.pid === pid)?.command).to.contain('sleep');
    running.stop('enough');
    await done;
  });

  it('runs a job as the configured user, in its groups only', async function () {
    if (!isRoot || !nobody) return this.skip();
    const other = new NativeRun({ run_as: 'nobody', containment: sandbox });
    const outcome = await other.sh('id -un; id -G; touch made; stat -c %U made; sh -c "exit 5"');
    expect(outcome).to.include({ exitCode: 5, stdout: `nobody\n${nobody.gid}\nnobody\n` });
    await other.close();
  });

  if (sandbox === 'pid-namespace' || sandbox === 'bubblewrap') {
    it('hides the processes of the machine from a job', async () => {
      const { stdout } = await native().sh('ps -eo args=');
      expect(stdout).to.not.contain('job-launcher').and.not.contain('mocha');
    });
  }
}

function describeDaemons(sandbox: SandboxName, native: () => NativeRun): void {
  const prefixes = sandbox === 'none' ? [''] : ['', emptied];
  for (const prefix of prefixes) {
    const what = prefix ? 'a daemon without environment' : 'a daemon';

    it(`ends ${what} with its job that succeeds`, async () => {
      const sleep = uniqueSleep();
      expect(await native().sh(`${daemonise(sleep, prefix)} exit 0`)).to.include({ exitCode: 0 });
      await eventually('it is gone', () => sleeping(sleep) === 0);
    });

    it(`ends ${what} before the failure of its job is reported`, async () => {
      const sleep = uniqueSleep();
      expect(await native().sh(`${daemonise(sleep, prefix)} exit 3`)).to.include({ exitCode: 3 });
      expect(sleeping(sleep)).to.equal(0);
    });

    it(`ends ${what} before the timeout of its job is reported`, async () => {
      const sleep = uniqueSleep();
      const outcome = await native().shUntilTimeout(`${daemonise(sleep, prefix)} echo ready; sleep ${sleep}`);
      expect(outcome).to.include({ timedOut: true });
      expect(sleeping(sleep)).to.equal(0);
    });

    it(`ends ${what} that ignores SIGTERM before the cancelling of its job is reported`, async () => {
      const sleep = uniqueSleep();
      const script = `trap '' TERM; ${daemonise(sleep, prefix)} sleep ${sleep}`;
      const { running, done } = native().start({ executable: 'sh', arguments: ['-c', script] });
      await eventually('both sleep', () => sleeping(sleep) === 2);
      running.stop('Cancelled by ada.');
      expect(await done).to.include({ reason: 'Cancelled by ada.' });
      expect(sleeping(sleep)).to.equal(0);
    });
  }

  it('leaves the daemon of another job alone', async () => {
    const sleep = uniqueSleep();
    const other = native().start({ executable: 'sh', arguments: ['-c', `${daemonise(sleep)} sleep ${sleep}`] });
    await eventually('both sleep', () => sleeping(sleep) === 2);
    await native().sh('exit 1');
    expect(sleeping(sleep)).to.equal(2);
    other.running.stop('enough');
    await other.done;
    expect(sleeping(sleep)).to.equal(0);
  });
}

function describeDeaths(sandbox: SandboxName): void {
  let server: Server;
  const start = async (prefix = '') => {
    const sleep = uniqueSleep();
    server = new Server({ sandbox });
    server.send({ run: `trap '' TERM; ${daemonise(sleep, prefix)} sleep ${sleep} & sleep ${sleep}` });
    await eventually('the job and its daemon sleep', () => sleeping(sleep) === 3);
    return sleep;
  };
  const byKernel = sandbox === 'none' ? '' : emptied;

  it('ends a daemon when the server is killed', async () => {
    const sleep = await start(byKernel);
    server.process.kill('SIGKILL');
    await eventually('all are gone', () => sleeping(sleep) === 0);
    await server.end();
  });

  it('ends a daemon when the launcher is killed, before the loss of the job is reported', async () => {
    const sleep = await start(byKernel);
    process.kill(server.launcher, 'SIGKILL');
    await eventually('the loss is reported', () => server.ended.length === 1);
    expect(sleeping(sleep)).to.equal(0);
    expect(server.ended[0]).to.include({ lost: true });
    await eventually('the server has removed the folders of the launcher', () => server.isClean);
    await server.end();
  });

  it(`ends a daemon when both are killed${sandbox === 'none' ? ', before the next server starts a job' : ''}`, async () => {
    const sleep = await start(byKernel);
    server = await killBoth(server, { sandbox }, async () => {
      if (sandbox !== 'none') await eventually('all are gone', () => sleeping(sleep) === 0);
    });
    server.send({ run: `pgrep -f '^sleep ${sleep}' || echo none` });
    await eventually('the new job ended', () => server.ended.length === 1);
    expect(server.messages.map(({ stdout }) => stdout).filter(Boolean)).to.deep.equal(['none\n']);
    expect(sleeping(sleep)).to.equal(0);
    await server.end();
  });
}

/** Kills a server and its launcher at once, and starts the next one in the same folder. */
async function killBoth(
  server: Server,
  options: ConstructorParameters<typeof Server>[0],
  meanwhile: () => Promise<unknown>,
): Promise<Server> {
  const { launcher } = server;
  // A launcher that is stopped cannot clean up between the two signals.
  process.kill(launcher, 'SIGSTOP');
  server.process.kill('SIGKILL');
  process.kill(launcher, 'SIGKILL');
  await meanwhile();
  return new Server({ ...options, folder: server.folder });
}

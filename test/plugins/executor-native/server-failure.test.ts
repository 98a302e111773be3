import { readdirSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { eventually } from '../../support/mocha/eventually.ts';
import { endSleeping, NativeRun, sleeping, uniqueSleep } from './native-run.ts';
import { Server } from './server-process.ts';

describe('Native jobs', () => {
  let server: Server;
  afterEach(async () => {
    await server.end();
    endSleeping();
  });

  /** A script of four processes that ignore SIGTERM: a child, an orphan, one in a group of its own, and the shell's. */
  const processTree = (sleep: string) =>
    `trap '' TERM; (sleep ${sleep} &) ; timeout 1000 sleep ${sleep} & sleep ${sleep} & sleep ${sleep}`;

  it('are killed with all their processes, and their folders are removed, when the server is killed', async () => {
    const sleep = uniqueSleep();
    server = new Server();
    server.send({ run: processTree(sleep), times: 5 });
    await eventually('all jobs run', () => sleeping(sleep) === 20);
    server.process.kill('SIGKILL');
    await eventually('all jobs are gone', () => sleeping(sleep) === 0);
    await eventually('their folders are gone', () => server.isClean);
  });

  it('leave no process behind when the server is killed while it starts them', async () => {
    const sleep = uniqueSleep();
    server = new Server();
    server.send({ run: `sleep ${sleep}`, times: 300 });
    await eventually('some jobs run', () => sleeping(sleep) > 20);
    server.process.kill('SIGKILL');
    await eventually('their folders are gone', () => server.isClean);
    expect(sleeping(sleep)).to.equal(0);
  });

  it('are killed by the launcher, which ignores SIGINT, SIGHUP and SIGTERM, when the server is killed', async () => {
    const sleep = uniqueSleep();
    server = new Server();
    server.send({ run: processTree(sleep) });
    await eventually('the job runs', () => sleeping(sleep) === 4);
    const { launcher } = server;
    for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.kill(launcher, signal);
    server.process.kill('SIGKILL');
    await eventually('the job is gone', () => sleeping(sleep) === 0);
  });

  it('are killed when the lease expires, and not before, while the server is paused', async () => {
    const sleep = uniqueSleep();
    server = new Server();
    server.send({ run: processTree(sleep), times: 2 });
    await eventually('all jobs run', () => sleeping(sleep) === 8);
    const renewedAt = performance.now();
    server.send({ keepAlive: 1500 });
    server.send({ run: 'echo leased' });
    await eventually('the launcher has the lease', () => server.ended.length === 1);
    server.process.kill('SIGSTOP');
    await eventually('all jobs are gone', () => sleeping(sleep) === 0);
    expect(performance.now() - renewedAt).to.be.above(1400);
    server.process.kill('SIGCONT');
    await eventually('their ends are reported', () => server.ended.length === 3);
    for (const outcome of server.ended.slice(1)) {
      expect(outcome).to.include({
        signal: 'SIGKILL',
        lost: true,
        timedOut: false,
        reason: "The worker's lease ran out.",
      });
    }
  });

  it('are not started after the lease has expired, until it is renewed', async () => {
    server = new Server();
    server.send({ keepAlive: 0 });
    server.send({ run: 'echo no' });
    await eventually('it is refused', () => server.ended.length === 1);
    expect(server.ended[0]).to.include({ exitCode: null, reason: "The worker's lease ran out." });
    server.send({ keepAlive: 60_000 });
    server.send({ run: 'echo yes' });
    await eventually('it ran', () => server.ended.length === 2);
    expect(server.ended[1]).to.include({ exitCode: 0, reason: null });
    expect(server.messages.map(({ stdout }) => stdout).filter(Boolean)).to.deep.equal(['yes\n']);
  });

  it('run on while the server renews its lease', async () => {
    const sleep = uniqueSleep();
    server = new Server();
    server.send({ keepAlive: 1000 });
    const renewing = setInterval(() => server.send({ keepAlive: 5000 }), 50);
    server.send({ run: `sleep ${sleep}` });
    server.send({ run: 'sleep 1.5; echo outlived' });
    await eventually('the first lease has long expired', () => server.ended.length === 1);
    clearInterval(renewing);
    expect(server.ended[0]).to.include({ exitCode: 0 });
    expect(sleeping(sleep)).to.equal(1);
  });

  it('do not prevent the server from exiting once they have ended', async () => {
    server = new Server();
    server.send({ run: 'echo last' });
    await eventually('it ran', () => server.ended.length === 1);
    server.process.stdin?.end();
    await eventually('it ended', () => server.process.exitCode === 0);
    await eventually('its folders are gone', () => server.isClean);
  });

  it('do not inherit open files of the server', async () => {
    server = new Server({ prelude: 'exec 200</dev/zero;' });
    server.send({ run: 'ls /proc/$$/fd' });
    await eventually('it ran', () => server.ended.length === 1);
    expect(server.messages.map(({ stdout }) => stdout ?? '').join('')).to.equal('0\n1\n2\n');
  });

  it('are refused while too many files are open, and start again once others have ended', async () => {
    server = new Server({ prelude: 'ulimit -n 60;' });
    server.send({ run: `until [ -e '${server.folder}/go' ]; do sleep 0.1; done; exit 7`, times: 100 });
    const startedJobs = () => server.messages.filter(({ started }) => started).length;
    await eventually('all run or are refused', () => startedJobs() + server.ended.length >= 100);
    writeFileSync(`${server.folder}/go`, '');
    await eventually('all ended', () => server.ended.length === 100);
    const ran = server.ended.filter(({ exitCode }) => exitCode === 7);
    const refused = server.ended.filter(({ reason }) => /too many files are open/.test(reason ?? ''));
    expect(ran).to.not.be.empty;
    expect(refused).to.not.be.empty;
    expect(ran.length + refused.length).to.equal(100);
    server.send({ run: 'exit 8' });
    await eventually('a job starts again', () => server.ended.some(({ exitCode }) => exitCode === 8));
  });
});

describe('A launcher that is killed', () => {
  it('loses its jobs, which are killed, and the next attempt starts a new launcher', async () => {
    const sleep = uniqueSleep();
    const native = new NativeRun();
    const jobs = Array.from({ length: 3 }, () =>
      native.start({ executable: 'sh', arguments: ['-c', `echo begun; (sleep ${sleep} &); sleep ${sleep}`] }),
    );
    await eventually('all run', () => sleeping(sleep) === 6);
    await eventually('all began', () => jobs.every(({ output }) => output.stdout === 'begun\n'));
    const { launcher } = native;
    process.kill(launcher, 'SIGKILL');
    for (const { done } of jobs) {
      const outcome = await done;
      expect(outcome).to.include({ exitCode: null, signal: 'SIGKILL', lost: true, timedOut: false, stdout: 'begun\n' });
      expect(outcome.reason).to.equal('The launcher of native jobs ended (SIGKILL); its jobs were killed.');
    }
    expect(sleeping(sleep)).to.equal(0);
    expect(await native.sh('echo again')).to.include({ exitCode: 0, stdout: 'again\n' });
    expect(native.launcher).to.not.equal(launcher);
    await eventually('the folders of the first are gone', () => readdirSync(`${native.folder}/jobs`).length === 1);
    await native.close();
  });

  it('leaves no process behind and ends every attempt, even while it starts jobs', async () => {
    const sleep = uniqueSleep();
    const native = new NativeRun();
    const jobs = Array.from({ length: 200 }, () => native.start({ executable: 'sleep', arguments: [sleep] }));
    await eventually('some run', () => sleeping(sleep) > 20);
    process.kill(native.launcher, 'SIGKILL');
    for (const { done } of jobs) expect((await done).reason).to.contain('ended (SIGKILL)');
    expect(sleeping(sleep)).to.equal(0);
    await native.close();
  });

  it('is replaced by none once the executor is closed, as by a start that goes on while the service stops', async () => {
    const native = new NativeRun();
    await native.close();
    const prepared = await native.executor.prepare().catch((error: Error) => error.message);
    expect(() => native.launcher).to.throw('No launcher is running');
    expect(prepared).to.equal('No native jobs are started any more: the worker is shutting down.');
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { AttemptResult } from '@horarium/core/plugin';
import { expect } from 'chai';
import { eventually } from '../../support/mocha/eventually.ts';
import { livingProcesses } from '../../support/program/processes.ts';
import { endSleeping, NativeRun, sleeping, uniqueSleep } from './native-run.ts';
import type { Command } from './server.ts';

const program = fileURLToPath(new URL('./server.js', import.meta.url));

interface Heard {
  readonly started?: number;
  readonly stdout?: string;
  readonly ended?: AttemptResult;
}

/** A real server process, that a test may treat badly. */
class Server {
  readonly folder: string;
  readonly messages: Heard[] = [];
  readonly process: ChildProcess;

  constructor(prelude = '', folder?: string) {
    this.folder = folder ?? mkdtempSync(`${tmpdir()}/horarium-test-`);
    mkdirSync(`${this.folder}/jobs`, { recursive: true });
    const script = `${prelude} exec "$@"`;
    this.process = spawn('bash', ['-c', script, 'bash', process.execPath, program, `${this.folder}/jobs`], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: this.process.stdout as NodeJS.ReadableStream });
    lines.on('line', (line) => this.messages.push(JSON.parse(line)));
  }

  tell(command: Command): void {
    this.process.stdin?.write(`${JSON.stringify(command)}\n`);
  }

  get ended(): AttemptResult[] {
    return this.messages.flatMap(({ ended }) => ended ?? []);
  }

  /** Whether working directories are left. */
  get tidy(): boolean {
    return readdirSync(`${this.folder}/jobs`).length === 0;
  }

  async end(): Promise<void> {
    this.process.kill('SIGKILL');
    await eventually('the launcher has tidied up', () => this.tidy);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

describe('Native jobs, when their server', () => {
  let server: Server;
  afterEach(async () => {
    await server.end();
    endSleeping();
  });

  /** A job with a child, a grandchild whose parent is gone, and one in a group of its own; none heeds SIGTERM. */
  const family = (sleep: string) =>
    `trap '' TERM; (sleep ${sleep} &) ; timeout 1000 sleep ${sleep} & sleep ${sleep} & sleep ${sleep}`;

  it('is killed, are killed with everything they started, and their folders are removed', async () => {
    const sleep = uniqueSleep();
    server = new Server();
    server.tell({ run: family(sleep), times: 5 });
    await eventually('all jobs run', () => sleeping(sleep) === 20);
    server.process.kill('SIGKILL');
    await eventually('all jobs are gone', () => sleeping(sleep) === 0);
    await eventually('their folders are gone', () => server.tidy);
  });

  it('is killed while it starts some, leave no process behind', async () => {
    const sleep = uniqueSleep();
    server = new Server();
    server.tell({ run: `sleep ${sleep}`, times: 300 });
    await eventually('some jobs run', () => sleeping(sleep) > 20);
    server.process.kill('SIGKILL');
    await eventually('their folders are gone', () => server.tidy);
    expect(sleeping(sleep)).to.equal(0);
  });

  it('ends with its terminal, by SIGINT and SIGHUP to all processes, are ended by the launcher', async () => {
    const sleep = uniqueSleep();
    server = new Server();
    server.tell({ run: family(sleep) });
    await eventually('the job runs', () => sleeping(sleep) === 4);
    const launcher = livingProcesses().find(({ parent }) => parent === server.process.pid);
    for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.kill(Number(launcher?.pid), signal);
    server.process.kill('SIGKILL');
    await eventually('the job is gone', () => sleeping(sleep) === 0);
  });

  it('and the launcher are killed at once, are killed by the next server before it starts its own', async () => {
    const [sleep, service] = [uniqueSleep(), uniqueSleep()];
    server = new Server();
    server.tell({ run: `setsid sleep ${service} & ${family(sleep)}` });
    await eventually('the job runs', () => sleeping(sleep) === 4 && sleeping(service) === 1);
    const launcher = livingProcesses().find(({ parent }) => parent === server.process.pid)?.pid as number;
    process.kill(launcher, 'SIGSTOP');
    server.process.kill('SIGKILL');
    process.kill(launcher, 'SIGKILL');
    await eventually(
      'both are gone',
      () => !livingProcesses().some(({ pid }) => pid === server.process.pid || pid === launcher),
    );
    expect(sleeping(sleep)).to.equal(4);
    server = new Server('', server.folder);
    server.tell({ run: `pgrep -f '^sleep ${sleep}' || echo none` });
    await eventually('the new job ended', () => server.ended.length === 1);
    expect(server.messages.map(({ stdout }) => stdout).filter(Boolean)).to.deep.equal(['none\n']);
    await eventually('only the new folder is left', () => readdirSync(`${server.folder}/jobs`).length === 1);
    // A service that a job moved out of its session is not killed.
    expect(sleeping(service)).to.equal(1);
  });

  it('is paused, are killed once the lease has expired and not before', async () => {
    const sleep = uniqueSleep();
    server = new Server();
    server.tell({ run: family(sleep), times: 2 });
    await eventually('all jobs run', () => sleeping(sleep) === 8);
    const leased = performance.now();
    server.tell({ keepAlive: 1500 });
    server.tell({ run: 'echo leased' });
    await eventually('the lease expired', () => server.ended.length === 1);
    server.process.kill('SIGSTOP');
    await eventually('all jobs are gone', () => sleeping(sleep) === 0);
    expect(performance.now() - leased).to.be.above(1400);
    server.process.kill('SIGCONT');
    await eventually('their ends are told', () => server.ended.length === 3);
    for (const outcome of server.ended.slice(1)) {
      expect(outcome).to.include({
        signal: 'SIGKILL',
        lost: true,
        timedOut: false,
        reason: "The worker's lease ran out.",
      });
    }
  });

  it('has lost its lease, are not started until it is renewed', async () => {
    server = new Server();
    server.tell({ keepAlive: 0 });
    server.tell({ run: 'echo no' });
    await eventually('it is refused', () => server.ended.length === 1);
    expect(server.ended[0]).to.include({ exitCode: null, reason: "The worker's lease ran out." });
    server.tell({ keepAlive: 60_000 });
    server.tell({ run: 'echo yes' });
    await eventually('it ran', () => server.ended.length === 2);
    expect(server.ended[1]).to.include({ exitCode: 0, reason: null });
    expect(server.messages.map(({ stdout }) => stdout).filter(Boolean)).to.deep.equal(['yes\n']);
  });

  it('renews its lease, keep running', async () => {
    const sleep = uniqueSleep();
    server = new Server();
    server.tell({ keepAlive: 1000 });
    const renewing = setInterval(() => server.tell({ keepAlive: 5000 }), 50);
    server.tell({ run: `sleep ${sleep}` });
    server.tell({ run: 'sleep 1.5; echo outlived' });
    await eventually('the first lease has long run out', () => server.ended.length === 1);
    clearInterval(renewing);
    expect(server.ended[0]).to.include({ exitCode: 0 });
    expect(sleeping(sleep)).to.equal(1);
  });

  it('has no more work, do not keep it alive by their executor or launcher', async () => {
    server = new Server();
    server.tell({ run: 'echo last' });
    await eventually('it ran', () => server.ended.length === 1);
    server.process.stdin?.end();
    await eventually('it ended', () => server.process.exitCode === 0);
    await eventually('its folders are gone', () => server.tidy);
  });

  it('leaks open files, do not inherit them', async () => {
    server = new Server('exec 200</dev/zero;');
    server.tell({ run: 'ls /proc/$$/fd' });
    await eventually('it ran', () => server.ended.length === 1);
    expect(server.messages.map(({ stdout }) => stdout ?? '').join('')).to.equal('0\n1\n2\n');
  });

  it('may open only few files, are refused where there is no room, while others run', async () => {
    server = new Server('ulimit -n 60;');
    server.tell({ run: `until [ -e '${server.folder}/go' ]; do sleep 0.1; done; exit 7`, times: 100 });
    const begun = () => server.messages.filter(({ started }) => started).length;
    await eventually('all run or are refused', () => begun() + server.ended.length >= 100);
    writeFileSync(`${server.folder}/go`, '');
    await eventually('all ended', () => server.ended.length === 100);
    const ran = server.ended.filter(({ exitCode }) => exitCode === 7);
    const refused = server.ended.filter(({ reason }) => /too many files are open/.test(reason ?? ''));
    expect(ran).to.not.be.empty;
    expect(refused).to.not.be.empty;
    expect(ran.length + refused.length).to.equal(100);
    server.tell({ run: 'exit 8' });
    await eventually('there is room again', () => server.ended.some(({ exitCode }) => exitCode === 8));
  });
});

describe('When the launcher is killed', () => {
  it('its jobs are killed and reported as lost, and the next attempt gets a new launcher', async () => {
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
      expect(outcome.reason).to.equal('The launcher of native jobs ended (SIGKILL); what it ran was killed.');
    }
    expect(sleeping(sleep)).to.equal(0);
    expect(await native.sh('echo again')).to.include({ exitCode: 0, stdout: 'again\n' });
    expect(native.launcher).to.not.equal(launcher);
    await eventually('the folders of the first are gone', () => readdirSync(`${native.folder}/jobs`).length === 1);
    await native.close();
  });

  it('while it starts jobs, no process is left and every attempt ends', async () => {
    const sleep = uniqueSleep();
    const native = new NativeRun();
    const jobs = Array.from({ length: 200 }, () => native.start({ executable: 'sleep', arguments: [sleep] }));
    await eventually('some run', () => sleeping(sleep) > 20);
    process.kill(native.launcher, 'SIGKILL');
    for (const { done } of jobs) expect((await done).reason).to.contain('ended (SIGKILL)');
    expect(sleeping(sleep)).to.equal(0);
    await native.close();
  });
});

import { existsSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../support/mocha/eventually.ts';
import { temporaryFolder } from '../support/mocha/temporary-folder.ts';
import { type LivingProcess, livingProcesses, readText } from '../support/program/processes.ts';
import { SharedPlaces } from '../support/run/shared-places.ts';
import { FixtureSuite, support } from './fixture-suite.ts';

/** The fixtures of the real suite. */
const fixtures = `export * from '${support}/mocha/global-fixtures.js';`;

/** A daemon, which loses its parent and its session. */
const daemon = (seconds: string) => `
const { spawnSync } = await import('node:child_process');
spawnSync('setsid', ['sh', '-c', 'sleep ${seconds} >/dev/null 2>&1 &'], { stdio: 'ignore' });`;

let last = 0;
/** A number of seconds that only one test sleeps for. */
const uniqueSleep = () => `${2000 + ++last}.${process.pid}`;
const sleeps = (seconds: string) => livingProcesses().some(({ command }) => command === `sleep ${seconds} `);

describe('A run of the tests', () => {
  it('fails the file whose tests leave a child process, names the process and ends it', async () => {
    const seconds = uniqueSleep();
    const child = `import { spawn } from 'node:child_process'; it('passes', () => { spawn('sleep', ['${seconds}']); });`;
    using suite = new FixtureSuite({ child, green: `it('passes', () => {});` }, fixtures);
    const { code, out } = await suite.run();
    expect(out).to.match(new RegExp(`child.test.js: .*: The tests of this file leave running: sleep ${seconds}`));
    expect([code, sleeps(seconds)]).to.deep.equal([1, false]);
  });

  it('fails the file whose tests leave temporary files, names and removes them', async () => {
    const file = `import { writeFileSync } from 'node:fs'; import { tmpdir } from 'node:os';
      it('passes', () => writeFileSync(tmpdir() + '/forgotten', ''));`;
    using suite = new FixtureSuite({ file, green: `it('passes', () => {});` }, fixtures);
    const { code, out } = await suite.run();
    expect(out).to.match(/file.test.js: .*: The tests of this file leave files: forgotten\n/);
    expect([code, readdirSync(join(suite.folder, 'tmp'))]).to.deep.equal([1, []]);
  });

  it('fails the test that leaves a rejection unhandled', async () => {
    const lost = `it('passes', async () => {
      void Promise.reject(new Error('nobody hears this'));
      await new Promise((resolve) => setTimeout(resolve, 10));
    });`;
    using suite = new FixtureSuite({ lost }, fixtures);
    const { code, out } = await suite.run();
    expect(out).to.match(/Failed twice:\n +lost.test.js: passes: nobody hears this\n/);
    expect(code).to.equal(1);
  });

  it('fails when its tests leave a daemon, names it and ends it', async () => {
    const seconds = uniqueSleep();
    using suite = new FixtureSuite({ daemon: `${daemon(seconds)} it('passes', () => {});` }, fixtures);
    const { code, err } = await suite.run();
    expect(err).to.match(new RegExp(`The tests leave behind:\nprocess \\d+: sleep ${seconds} \n`));
    expect([code, sleeps(seconds)]).to.deep.equal([1, false]);
  });

  /** A test that hangs, while a daemon, a service of its and a job run, and says so in the file `ready`; later it passes. */
  const busy = (kind: string, ready: string, seconds: string) => `
    import { existsSync, readdirSync, writeFileSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    import { ServiceWorld } from '${support}/faults/service-world.js';
    import { eventually } from '${support}/mocha/eventually.js';
    it('hangs once', async () => {
      if (existsSync('${ready}')) return;
      ${daemon(seconds)}
      const world = await ServiceWorld.create('${kind}');
      await world.startService();
      const template = await world.addDailyTemplate('sleeps', 'sleep ${seconds}');
      await eventually('the job runs', () => world.countJobProcesses(template) > 0);
      const launcher = readdirSync(tmpdir()).find((name) => name.startsWith('horarium-jobs-'));
      writeFileSync('${ready}', JSON.stringify({ mocha: process.ppid, worker: process.pid, launcher }));
      await new Promise((resolve) => setTimeout(resolve, 1e9));
    });`;

  const killed = async (victim: 'mocha' | 'worker', kind: string) => {
    const seconds = uniqueSleep();
    using suite = new FixtureSuite({}, fixtures);
    const ready = join(suite.folder, 'ready');
    writeFileSync(suite.file('busy'), busy(kind, ready, seconds));
    const run = suite.run();
    const text = await Promise.race([
      eventually('all of it runs', () => existsSync(ready) && readFileSync(ready, 'utf8'), 110_000),
      run.then(({ out, err }) => Promise.reject(new Error(out + err))),
    ]);
    const pids = JSON.parse(text);
    expect(sleeps(seconds)).to.equal(true);
    process.kill(pids[victim], 'SIGKILL');
    const result = await run;
    const isOurs = ({ command, pid }: LivingProcess) =>
      command.includes(suite.folder) || readText(pid, 'environ').includes(suite.folder);
    await eventually('every process has ended', () => !livingProcesses().some(isOurs));
    expect(sleeps(seconds)).to.equal(false);
    expect(readdirSync(join(suite.folder, 'tmp'))).to.deep.equal([]);
    expect(globSync(`{/dev/shm,/sys/fs/cgroup/**}/${pids.launcher}`)).to.deep.equal([]);
    return result;
  };

  it('leaves nothing when mocha is killed, with a service, a job and a database of its tests', async () => {
    const { code, out } = await killed('mocha', 'postgresql');
    expect([code, out.trim()]).to.deep.equal([1, 'Mocha ended before it had results.']);
  });

  it('leaves nothing when a worker is killed, and goes on with the other tests', async () => {
    const { code, out, err } = await killed('worker', 'sqlite');
    expect(out, out).to.match(/Unsteady.*\n.*busy.test.js: .*: Workerpool Worker terminated Unexpectedly/);
    expect([code, out.trimEnd().split('\n').at(-1)], out + err).to.deep.equal([0, '1 passed, 0 failed, 0 skipped']);
  });
});

describe('What a run finds in the places that all programs share', () => {
  it('is what was made since, where no program runs that makes the like', async () => {
    const folder = temporaryFolder('places');
    const add = (name: string) => writeFileSync(join(folder, name), '');
    const places = (makers: RegExp) => new SharedPlaces([{ pattern: `${folder}/horarium-*`, makers }]);
    add('horarium-old');
    const [alone, beside] = [places(/^no such program/), places(/node/)];
    add('horarium-new');
    add('other');
    expect([await alone.left(0), await beside.left(0)]).to.deep.equal([[join(folder, 'horarium-new')], []]);
    rmSync(folder, { recursive: true });
  });
});

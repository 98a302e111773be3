import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { Cgroup, ownCgroup } from '../../../../plugins/process/sandbox/cgroup/cgroup.ts';
import { limitsFor } from '../../../../plugins/process/sandbox/cgroup/cgroup-limits.ts';
import { CgroupSandbox, startByShell } from '../../../../plugins/process/sandbox/cgroup/cgroup-sandbox.ts';
import { delegate } from '../../../../plugins/process/sandbox/cgroup/delegated-cgroup.ts';
import { isLimited, strictest, unrestricted } from '../../../../plugins/process/sandbox/sandbox-options.ts';
import { userNamed } from '../../../../plugins/process/users/users.ts';
import { temporaryFolder } from '../../../support/mocha/temporary-folder.ts';
import { NativeRun } from '../../executor-native/native-run.ts';

const isRoot = process.getuid?.() === 0;

describe('The limits of a native job', () => {
  it('are files of its cgroup', () => {
    const files = limitsFor({ memoryMax: 67_108_864, pidsMax: 20, cpuMax: 150 }).map(({ file, value }) => [
      file,
      value,
    ]);
    expect(Object.fromEntries(files)).to.deep.equal({
      'memory.max': '67108864',
      'memory.oom.group': '1',
      'pids.max': '20',
      'cpu.max': '150000 100000',
    });
    expect(limitsFor(unrestricted)).to.deep.equal([]);
  });

  it('are the lower ones of the configuration and the template', () => {
    const limit = fc.option(fc.constantFrom(1, 5, 100), { nil: null });
    const keys = ['memoryMax', 'pidsMax', 'cpuMax'] as const;
    const limits = fc
      .record({ memoryMax: limit, pidsMax: limit, cpuMax: limit })
      .map((limited) => ({ ...unrestricted, ...limited }));
    const at = (value: number | null) => value ?? Number.POSITIVE_INFINITY;
    fc.assert(
      fc.property(limits, limits, (one, other) => {
        const both = strictest(one, other);
        for (const key of keys) expect(at(both[key])).to.equal(Math.min(at(one[key]), at(other[key])));
        expect(isLimited(both)).to.equal(isLimited(one) || isLimited(other));
      }),
    );
  });

  it('are refused where processes are not contained by a cgroup', async () => {
    const native = new NativeRun({ containment: 'none' });
    const outcome = await native.run({ executable: 'true', options: { pids_max: 5 } });
    expect(outcome).to.include({ exitCode: 126 });
    expect(outcome.reason).to.equal(
      'Its processes could not be contained: limits need the containment cgroup, and it is none.',
    );
    await native.close();
  });

  it('stop the start where the configuration asks for them in vain', async () => {
    const native = new NativeRun({ containment: 'none', memory_max: 1 });
    const error = await native.executor.prepare().catch((thrown: unknown) => thrown as Error);
    expect((error as Error).message).to.match(/^This machine cannot restrict native jobs: limits need/);
    await native.close();
  });
});

describe('A delegated cgroup', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder('cgroup');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** A folder with the files of a cgroup that has those controllers and processes. */
  function cgroup(controllers: string, pids: readonly number[], type: 'domain' | null = 'domain'): Cgroup {
    writeFileSync(`${folder}/cgroup.controllers`, `${controllers}\n`);
    writeFileSync(`${folder}/cgroup.procs`, pids.map((pid) => `${pid}\n`).join(''));
    if (type) writeFileSync(`${folder}/cgroup.type`, type);
    return new Cgroup(folder);
  }
  const read = (file: string) => readFileSync(`${folder}/${file}`, 'utf8');

  it('moves the service to a cgroup below, so that those of jobs can have controllers', () => {
    const { home, parent, controllers, problem } = delegate(cgroup('cpuset cpu memory pids', [10, 11]), [11, 10], true);
    expect([home.path, parent.path]).to.deep.equal([`${folder}/horarium-service`, folder]);
    expect(controllers).to.deep.equal(['memory', 'pids', 'cpu']);
    expect(problem).to.equal(null);
    // A file of a folder keeps the last of the values that are written to it.
    expect([read('horarium-service/cgroup.procs'), read('cgroup.subtree_control')]).to.deep.equal(['11', '+cpu']);
  });

  it('is found again by the next launcher, which is below it already', () => {
    mkdirSync(`${folder}/horarium-service`);
    writeFileSync(`${folder}/cgroup.subtree_control`, 'cpu memory\n');
    const { home, parent, controllers } = delegate(new Cgroup(`${folder}/horarium-service`), [], false);
    expect([home.path, parent.path]).to.deep.equal([`${folder}/horarium-service`, folder]);
    expect(controllers).to.deep.equal(['memory', 'cpu']);
  });

  it('needs no move where it is the root, which may have processes', () => {
    const { home, controllers } = delegate(cgroup('memory', [1, 2, 3], null), [3], true);
    expect([home.path, controllers]).to.deep.equal([folder, ['memory']]);
  });

  it('stays as it is, with a sentence, where it has other processes, no controllers, or belongs to systemd', () => {
    const problems = [
      delegate(cgroup('memory', [10, 99]), [10], true),
      delegate(cgroup('hugetlb', [10]), [10], true),
      delegate(cgroup('memory', [10]), [10], false),
    ].map(({ home, parent, controllers, problem }) => {
      expect([home.path, parent.path, controllers]).to.deep.equal([folder, folder, []]);
      return problem;
    });
    expect(problems[0]).to.equal(`the cgroup ${folder} has other processes, such as 99`);
    expect(problems[1]).to.equal(`the cgroup ${folder} has none of the controllers memory, pids, cpu`);
    expect(problems[2]).to.match(/only changed where the option containment of executor-native is cgroup$/);
  });
});

describe('A job in a cgroup with controllers', () => {
  it('is in its cgroup from the first instruction, without this process entering it, as the user that it has', async function () {
    let cgroup: Cgroup;
    try {
      cgroup = new Cgroup(`${ownCgroup().path}/horarium-test-${process.pid}`).create();
    } catch {
      return this.skip();
    }
    const nobody = isRoot ? userNamed('nobody') : null;
    const sandbox = new CgroupSandbox(startByShell(cgroup), cgroup);
    const script = 'cat /proc/self/cgroup; id -u; readlink /proc/$$/fd/* | grep -c cgroup.procs; exit 3';
    const program = {
      file: '/bin/sh',
      calledAs: 'sh',
      arguments: ['-c', script],
      folder: '/',
      directory: '/',
      home: null,
      inputs: null,
      identity: nobody,
    };
    const child = sandbox.start({ ...program, environment: { PATH: '/usr/bin:/bin' } }, ['ignore', 'pipe', 'pipe']);
    let output = '';
    child.stdout?.on('data', (text: Buffer) => {
      output += text;
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    const isEmpty = sandbox.isEmpty();
    sandbox.remove();
    expect(code).to.equal(3);
    expect(output).to.contain(`/horarium-test-${process.pid}\n${nobody?.uid ?? process.getuid?.()}\n0\n`);
    expect(isEmpty).to.equal(true);
  });

  describe('where the machine delegates controllers', () => {
    let native: NativeRun;
    before(async function () {
      native = new NativeRun({ containment: 'cgroup' });
      const outcome = await native.run({
        executable: 'true',
        options: { memory_max: 2 ** 30, pids_max: 100, cpu_max: 100 },
      });
      if (/need the con/.test(outcome.reason ?? '')) {
        await native.close();
        this.skip();
      }
    });
    after(() => native.close());

    it('is killed when it uses more memory than it may, with a reason', async () => {
      const outcome = await native.sh('exec head -c 200000000 /dev/zero | tail', { options: { memory_max: 2 ** 25 } });
      expect(outcome).to.include({
        signal: 'SIGKILL',
        reason: 'It was killed, because it reached its limit of memory.',
      });
    });

    it('has no more processes than it may', async () => {
      const { stderr } = await native.sh('for i in 1 2 3 4 5 6; do sleep 1 & done; wait', { options: { pids_max: 3 } });
      expect(stderr).to.match(/fork/i);
    });

    it('gets no more of the processors than it may', async () => {
      const script =
        'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; cat /sys/fs/cgroup$(cut -d: -f3 /proc/self/cgroup)/cpu.stat';
      const { stdout } = await native.sh(script, { options: { cpu_max: 5 } });
      expect(stdout).to.match(/nr_throttled [1-9]/);
    });

    it('tells the most memory that it had', async () => {
      const outcome = await native.sh('x=$(head -c 20000000 /dev/zero | tr "\\\\0" x); exit 0');
      expect(outcome.peakMemory).to.be.greaterThan(20_000_000);
    });
  });
});

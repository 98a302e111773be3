import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { Cgroup, ownCgroup } from '../../../../plugins/process/sandbox/cgroup/cgroup.ts';
import { leave, startInNext, startOutside } from '../../../../plugins/process/sandbox/cgroup/next-cgroup.ts';

/** A program that tells its cgroup, and then waits for its input to end. */
const program = {
  file: '/bin/cat',
  calledAs: 'cat',
  arguments: ['/proc/self/cgroup', '-'],
  folder: '/',
  directory: '/',
  home: null,
  inputs: null,
  environment: { PATH: '/usr/bin:/bin' },
  identity: null,
};

describe('The cgroup of the next job', () => {
  let home: Cgroup;
  const made: Cgroup[] = [];
  const make = () => {
    const cgroup = new Cgroup(`${home.path}/horarium-test-${process.pid}-${made.length}`).create();
    made.push(cgroup);
    return cgroup;
  };
  const start = (file = program.file) => startInNext(make, home, { ...program, file }, ['pipe', 'pipe', 'ignore']);
  const nameOf = (cgroup: Cgroup | null) => cgroup?.path.slice(home.path.length);

  /** Lets a program end, and waits until it is gone. @returns what it wrote. */
  async function end(child: ChildProcess): Promise<string> {
    const written = text(child.stdout as NodeJS.ReadableStream);
    child.stdin?.end();
    await once(child, 'close');
    return written;
  }

  before(function () {
    try {
      home = ownCgroup();
      make().remove();
    } catch {
      this.skip();
    }
  });
  afterEach(() => {
    leave();
    for (const cgroup of made) cgroup.remove();
  });

  it('holds a job from its first instruction, and the starter only until then', async () => {
    for (let job = 0; job < 3; job++) {
      const { child, cgroup } = start();
      expect(cgroup?.pids()).to.deep.equal([child.pid]);
      expect(nameOf(ownCgroup())).to.equal(nameOf(made.at(-1) as Cgroup));
      expect(await end(child)).to.match(new RegExp(`0::.*${nameOf(cgroup)}\n`));
    }
  });

  it('holds no other process of the starter', async () => {
    const first = start();
    const { stdout } = startOutside(() => spawnSync('cat', ['/proc/self/cgroup'], { encoding: 'utf8', env: {} }));
    expect(stdout).to.not.contain('horarium-test-');
    const { child, cgroup } = start();
    expect(cgroup?.pids()).to.deep.equal([child.pid]);
    for (const each of [first.child, child]) await end(each);
  });

  it('waits for another job where one could not be started', async () => {
    const before = start();
    const waiting = nameOf(ownCgroup());
    const { child, cgroup } = start('/no/such');
    child.on('error', () => undefined);
    expect([child.pid, cgroup, nameOf(ownCgroup())]).to.deep.equal([undefined, null, waiting]);
    await end(before.child);
  });
});

import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { sandboxNames } from '../../../../plugins/process/sandbox/sandbox.ts';
import { sandboxOptionsOf, strictest, unrestricted } from '../../../../plugins/process/sandbox/sandbox-options.ts';
import { userNamed } from '../../../../plugins/process/users/users.ts';
import { eventually } from '../../../support/mocha/eventually.ts';
import { daemonise, endSleeping, NativeRun, sleeping, uniqueSleep } from '../../executor-native/native-run.ts';

const isRoot = process.getuid?.() === 0;
const readOnly = { read_only_root: true };
const offline = { private_network: true };
/** The network interfaces that a job sees. */
const interfaces = `sed -n 's/^ *\\([a-z0-9]*\\):.*/\\1/p' /proc/net/dev`;

describe('The isolation of native jobs', () => {
  before(async function () {
    const native = new NativeRun(readOnly);
    try {
      await native.executor.prepare();
    } catch (error) {
      expect((error as Error).message).to.match(/^This machine cannot restrict native jobs: /);
      this.skip();
    } finally {
      await native.close();
    }
  });
  afterEach(endSleeping);

  for (const sandbox of sandboxNames) {
    describe(`with the sandbox ${sandbox}`, () => {
      let native: NativeRun;
      before(async function () {
        native = new NativeRun({ grace: 0.2, containment: sandbox });
        await native.executor.prepare().catch(() => this.skip());
      });
      after(() => native.close());

      it('keeps a job from the network', async () => {
        const outcome = await native.sh(`${interfaces}; exit 3`, { options: { private_network: true } });
        expect(outcome).to.include({ exitCode: 3, stdout: 'lo\n' });
      });

      it('lets a job write to its working directory and to a /tmp of its own only', async () => {
        const leaked = `/tmp/${uniqueSleep()}`;
        const script = `touch ${leaked} && ls /tmp; touch /etc/${uniqueSleep()} || echo result > result; pwd; cat`;
        const given = { options: { read_only_root: true }, stdin: 'in', resultFile: 'result' };
        const outcome = await native.sh(script, given);
        expect(outcome).to.include({ exitCode: 0 });
        expect(outcome.stderr).to.contain('Read-only file system');
        expect(outcome.stdout).to.match(/\/jobs\/.*\nin$/);
        expect(existsSync(leaked)).to.equal(false);
        expect(outcome.files.map(({ filename }) => filename)).to.deep.equal(['result']);
      });

      it('lets a job run in another directory, with isolation and without', async () => {
        for (const read_only_root of [false, true])
          expect(await native.sh('pwd', { options: { read_only_root, directory: '/usr/bin' } })).to.include({
            stdout: '/usr/bin\n',
          });
      });

      it('sends SIGTERM to the job, and gives it its grace', async () => {
        const polite = new NativeRun({ grace: 60, containment: sandbox, ...offline });
        const script = `trap 'echo bye; exit 9' TERM; echo ready; while :; do sleep 0.01; done`;
        const { running, done, output } = polite.start({ executable: 'sh', arguments: ['-c', script] });
        await eventually('it is ready', () => output.stdout === 'ready\n');
        running.stop('enough');
        expect(await done).to.include({ exitCode: 9, stdout: 'ready\nbye\n' });
        await polite.close();
      });

      it('ends a daemon of the job before the timeout is reported', async () => {
        const sleep = uniqueSleep();
        const script = `${daemonise(sleep, 'env -i')} echo ready; sleep ${sleep}`;
        const outcome = await native.shUntilTimeout(script, { options: { private_network: true } });
        expect(outcome).to.include({ timedOut: true });
        expect(sleeping(sleep)).to.equal(0);
      });
    });
  }

  it('is not lifted by a template where the configuration asks for it', async () => {
    const native = new NativeRun(offline);
    const { stdout } = await native.sh(interfaces, { options: { private_network: false } });
    expect(stdout).to.equal('lo\n');
    await native.close();
  });

  it('cannot be lifted by root, who has no capabilities then', async function () {
    if (!isRoot) return this.skip();
    const native = new NativeRun(readOnly);
    const outcome = await native.sh('mount -o remount,rw / || echo refused; grep CapEff /proc/self/status');
    expect(outcome.stdout).to.match(/^refused\nCapEff:\t0+\n$/);
    await native.close();
  });

  it('leaves a job the configured user', async function () {
    if (!isRoot || !userNamed('nobody')) return this.skip();
    const native = new NativeRun({ ...offline, ...readOnly, run_as: 'nobody' });
    const outcome = await native.sh(`id -un; touch made; grep CapEff /proc/self/status; ${interfaces}`);
    expect(outcome.stdout).to.match(/^nobody\nCapEff:\t0+\nlo\n$/);
    await native.close();
  });

  it('is what the configuration and the template ask for together', () => {
    type Given = Parameters<typeof sandboxOptionsOf>[0];
    const both = (plugin: Given, template: Given) => strictest(sandboxOptionsOf(plugin), sandboxOptionsOf(template));
    expect(both(readOnly, offline)).to.deep.equal({ ...unrestricted, readOnlyRoot: true, privateNetwork: true });
    expect(both(readOnly, { read_only_root: false })).to.deep.equal(sandboxOptionsOf(readOnly));
    expect(both({}, {})).to.deep.equal(unrestricted);
  });
});

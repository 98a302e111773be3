import { chmodSync } from 'node:fs';
import { userInfo } from 'node:os';
import { expect } from 'chai';
import { userNamed } from '../../../plugins/process/users/users.ts';
import { nativeExecutor } from '../../support/executors/native-executor.ts';
import { NativeRun } from './native-run.ts';

const isRoot = process.getuid?.() === 0;
const nobody = userNamed('nobody');
const daemon = userNamed('daemon');

async function withNative(
  config: ConstructorParameters<typeof NativeRun>[0],
  use: (native: NativeRun) => Promise<void>,
) {
  const native = new NativeRun(config);
  try {
    chmodSync(native.folder, 0o755);
    await use(native);
  } finally {
    await native.close();
  }
}

describe('The user of native jobs', () => {
  it('is the user of the server by default', () =>
    withNative({}, async (native) => {
      expect((await native.sh('id -u')).stdout).to.equal(`${process.getuid?.()}\n`);
    }));

  it('may be named by a template where it is the user of the server', () =>
    withNative({ users: [] }, async (native) => {
      const { stdout } = await native.sh('id -un', { options: { user: userInfo().username } });
      expect(stdout).to.equal(`${userInfo().username}\n`);
    }));

  it('cannot be another user unless the server runs as root', function () {
    if (isRoot) return this.skip();
    expect(() => nativeExecutor({ run_as: 'root' }).checkUsers()).to.throw('only root');
    return withNative({}, async (native) => {
      const outcome = await native.run({ executable: 'true', options: { user: 'root' } });
      expect(outcome.exitCode).to.equal(126);
      expect(outcome.reason).to.contain('only root');
    });
  });

  it('is ruled out in a command where only the user of the service, which is not root, can run jobs', function () {
    if (!nobody || !daemon) return this.skip();
    const refusal = (user: string, service_user: string | null) =>
      nativeExecutor({ service_user, users: [] }).refuse({ user }, null);
    expect(['nobody', 'root'].map((user) => refusal(user, 'nobody'))).to.deep.equal([
      null,
      'root can only run jobs of a service that runs as root (horarium help job-users)',
    ]);
    expect(['nobody', 'root'].map((user) => refusal(user, 'root'))).to.deep.equal([
      'nobody must be in the option users of executor-native, and the service restarted then (horarium help native)',
      null,
    ]);
    const own = userInfo().username;
    expect(refusal(own, null)).to.equal(null);
  });

  describe('under root', () => {
    before(function () {
      if (!isRoot || !nobody || !daemon) this.skip();
    });

    it('is the configured one, with its home, its groups, and its own working directory and output', () =>
      withNative({ run_as: 'nobody' }, async (native) => {
        const script =
          'id -un; id -G; echo $HOME; touch made; stat -c "%U %a" .; echo x > /dev/stderr; cat /dev/stdin; cd "$HORARIUM_WORKDIR"';
        const outcome = await native.sh(script, { stdin: 'in' });
        expect(outcome).to.include({ exitCode: 0, stderr: 'x\n' });
        expect(outcome.stdout).to.equal(`nobody\n${nobody?.gid}\n${nobody?.home}\nnobody 700\nin`);
      }));

    it('is the one that the template names, unless the list of users excludes it', async () => {
      await withNative({}, async (native) => {
        const { stdout } = await native.sh('id -un; echo $HOME $LOGNAME $USER', { options: { user: 'daemon' } });
        expect(stdout).to.equal(`daemon\n${daemon?.home} daemon daemon\n`);
        const inHome = await native.sh('pwd', { options: { user: 'daemon', directory: '~' } });
        expect(inHome.stdout).to.equal(`${daemon?.home}\n`);
      });
      await withNative({ users: ['nobody'] }, async (native) => {
        expect(await native.sh('id -un', { options: { user: 'nobody' } })).to.include({ stdout: 'nobody\n' });
        const outcome = await native.sh('id -un', { options: { user: 'daemon' } });
        expect(outcome).to.include({ exitCode: 126, stdout: '' });
        expect(outcome.reason).to.contain('daemon').and.contain('the option users of executor-native does not list');
      });
    });

    it('is any that a template names where jobs are configured to run as root', () =>
      withNative({ run_as: 'root' }, async (native) => {
        expect((await native.sh('id -un; echo $HOME')).stdout).to.equal(`root\n${userNamed('root')?.home}\n`);
        expect(await native.sh('id -un', { options: { user: 'daemon' } })).to.include({ stdout: 'daemon\n' });
      }));

    it('cannot be root or another user where jobs are configured to run as a certain user', () =>
      withNative({ run_as: 'nobody' }, async (native) => {
        for (const user of ['root', 'daemon']) {
          expect(await native.sh('id -un', { options: { user } })).to.include({ exitCode: 126, stdout: '' });
        }
        expect(await native.sh('id -un', { options: { user: 'nobody' } })).to.include({ stdout: 'nobody\n' });
      }));

    it('prevents neither stopping the job nor collecting its artifacts', () =>
      withNative({ run_as: 'nobody', grace: 0.1 }, async (native) => {
        const script = "trap '' TERM; echo 1 > result; echo ready; sleep 1000 & sleep 1000";
        const outcome = await native.shUntilTimeout(script, { resultFile: 'result' });
        expect(outcome).to.include({ signal: 'SIGKILL', timedOut: true });
        expect(outcome.files.map(({ filename }) => filename)).to.deep.equal(['result']);
      }));
  });
});

import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { ownUser } from '../../../plugins/process/users/users.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { NativeRun } from './native-run.ts';

describe('The environment of a native job', () => {
  let native: NativeRun;
  before(() => {
    native = new NativeRun({
      path: '/usr/bin:/bin',
      home: '/somewhere',
      language: 'cs_CZ.UTF-8',
      timezone: 'Europe/Prague',
    });
  });
  after(() => native.close());
  afterEach(() => {
    delete process.env.SECRET_OF_THE_SERVER;
  });

  it('consists of the variables of the attempt and a few defaults, with none of the server', async () => {
    process.env.SECRET_OF_THE_SERVER = 'x';
    const { stdout } = await native.run({ executable: 'env', environment: { GREETING: 'ahoj světe' } });
    const lines = Buffer.from(stdout, 'latin1').toString().trim().split('\n');
    const workdir = lines.find((line) => line.startsWith('HORARIUM_WORKDIR='));
    const progress = lines.find((line) => line.startsWith('HORARIUM_PROGRESS_FILE='));
    const invocation = lines.find((line) => line.startsWith('HORARIUM_INVOCATION_ID='));
    expect(lines).to.have.members([
      'GREETING=ahoj světe',
      'PATH=/usr/bin:/bin',
      'HOME=/somewhere',
      `LOGNAME=${ownUser()?.name}`,
      `USER=${ownUser()?.name}`,
      'LANG=cs_CZ.UTF-8',
      'TZ=Europe/Prague',
      workdir,
      progress,
      invocation,
    ]);
  });

  it('prefers variables of the attempt to the defaults, also the PATH that finds the program', async () => {
    expect((await native.run({ executable: 'env', environment: { HOME: '/elsewhere' } })).stdout).to.contain(
      'HOME=/elsewhere\n',
    );
    expect(await native.run({ executable: 'env', environment: { PATH: '/nowhere:.:' } })).to.include({ exitCode: 127 });
  });

  it('has an empty working directory of its own, which is removed afterwards', async () => {
    const { stdout } = await native.sh(
      'pwd; printenv HORARIUM_WORKDIR; ls -A; mkdir -p deep/er; touch deep/er/file; chmod 0 deep/er',
    );
    const [folder, workdir, ...rest] = stdout.trim().split('\n') as [string, string];
    expect(folder)
      .to.equal(workdir)
      .and.match(new RegExp(`^${native.folder}/jobs/`));
    expect(rest).to.deep.equal([]);
    await eventually('the working directory is gone', () => !existsSync(folder));
  });

  it('has its directory where the options say, and its HOME for ~', async () => {
    const script = 'pwd; cd "$HORARIUM_WORKDIR" && pwd';
    const { stdout } = await native.sh(script, { options: { directory: '/usr' } });
    expect(stdout).to.match(new RegExp(`^/usr\n${native.folder}/jobs/\\S+\n$`));
    const environment = { HOME: '/usr/bin' };
    expect(await native.sh('pwd', { options: { directory: '~' }, environment })).to.include({ stdout: '/usr/bin\n' });
  });

  it('has a directory of its own for ~ if its HOME does not exist, as cron runs such a job too', async () => {
    for (const HOME of ['/no/such', '/etc/passwd/home']) {
      const outcome = await native.sh('test "$PWD" = "$HORARIUM_WORKDIR" && echo $HOME', {
        options: { directory: '~' },
        environment: { HOME },
      });
      expect(outcome).to.include({ exitCode: 0, stdout: `${HOME}\n` });
    }
  });

  it('has an empty working directory again, whatever earlier jobs did to theirs', async () => {
    for (const earlier of [
      'true',
      'touch file',
      'mkdir .hidden',
      'chmod 777 .',
      'cd ..; rmdir "$HORARIUM_WORKDIR"',
      'cd ..; rmdir "$HORARIUM_WORKDIR"; ln -s /etc "$HORARIUM_WORKDIR"',
    ]) {
      expect(await native.sh(earlier), earlier).to.include({ exitCode: 0 });
      expect(await native.sh('ls -A; stat -c %a .; stat -c %F "$HORARIUM_WORKDIR"'), earlier).to.include({
        stdout: '700\ndirectory\n',
      });
    }
  });

  it('has no open file but stdin, stdout and stderr', async () => {
    const { stdout } = await native.sh('ls /proc/$$/fd');
    expect(stdout).to.equal('0\n1\n2\n');
  });

  it('lets scripts open /dev/stdin, /dev/stdout and /dev/stderr', async () => {
    const { stdout, stderr } = await native.sh('echo problem > /dev/stderr; cat /dev/stdin > /dev/stdout', {
      stdin: 'text',
    });
    expect({ stdout, stderr }).to.deep.equal({ stdout: 'text', stderr: 'problem\n' });
  });

  it('provides a stdin of any length, which the program may leave unread', async () => {
    const stdin = 'řádek\n'.repeat(200_000);
    expect((await native.run({ executable: 'wc', arguments: ['-c'], stdin })).stdout.trim()).to.equal(
      String(Buffer.byteLength(stdin)),
    );
    expect(await native.run({ executable: 'true', stdin })).to.include({ exitCode: 0, reason: null });
    expect(await native.run({ executable: 'cat', stdin: null })).to.include({ exitCode: 0, stdout: '' });
  });

  it('passes arguments unchanged', async () => {
    const args = ['a b', '$HOME', '`id`', '; exit 1', "'", '"', '*', '', '\n', '--'];
    const { stdout } = await native.run({ executable: 'printf', arguments: ['%s\\0', ...args] });
    expect(stdout.split('\0').slice(0, -1)).to.deep.equal(args);
  });

  it('has a session and process group of its own', async () => {
    const { started, running, done } = native.start({ executable: 'sleep', arguments: ['1000'] });
    const pid = await started;
    expect(process.kill(-pid, 0)).to.equal(true);
    running.stop('The test is over.');
    expect(await done).to.include({ signal: 'SIGTERM' });
  });
});

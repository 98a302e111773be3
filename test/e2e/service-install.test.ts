import { expect } from 'chai';
import { eventually } from '../support/mocha/eventually.ts';
import { BootedSystemd } from '../support/systemd/booted-systemd.ts';

const missing = BootedSystemd.missing;

describe('A service that service:install has installed', function () {
  this.timeout(200_000);
  let machine: BootedSystemd;
  before(async function () {
    if (missing !== null) this.skip();
    machine = await BootedSystemd.boot();
  });
  after(() => machine?.[Symbol.asyncDispose]());

  it('runs as a user of its own, without capabilities, and systemd knows that it is ready', async () => {
    const out = await machine.horarium('service:install');
    expect(out)
      .to.match(/^The first user is admin, with the password \S{20,} /m)
      .and.include('The service was started');
    expect(await property('ActiveState', 'Type', 'User', 'UnitFileState')).to.deep.equal([
      'notify',
      'horarium',
      'active',
      'enabled',
    ]);
    const pid = await machine.run('systemctl', 'show', '--property=MainPID', '--value', 'horarium');
    const status = await machine.run('cat', `/proc/${pid.trim()}/status`);
    expect(status)
      .to.match(/^CapBnd:\t0+$/m)
      .and.match(/^NoNewPrivs:\t1$/m);
    expect(await machine.run('cat', `/proc/${pid.trim()}/environ`)).not.to.match(/NOTIFY_SOCKET=.*VAULT_KEY/s);
    expect(await machine.horarium('status')).to.match(/^counts\.users +1$/m);
  });

  it('keeps its settings and its key from other users, and shows the password once', async () => {
    const modes = await machine.run('stat', '--format', '%a %U:%G %n', '/etc/horarium/horarium.yaml', keyFile, store);
    expect(modes.trim().split('\n')).to.deep.equal([
      '640 root:horarium /etc/horarium/horarium.yaml',
      `600 horarium:horarium ${keyFile}`,
      `600 horarium:horarium ${store}`,
    ]);
    expect(await machine.run('journalctl', '--unit', 'horarium'))
      .to.include('listening on')
      .and.not.include('password');
  });

  it('contains its jobs by cgroups, and runs them as its user', async () => {
    await machine.horarium('company:save', '--code', 'acme', '--name', 'Acme');
    machine.writeFile('/root/crontab', '* * * * * id -un; umask\n');
    await machine.horarium('crontab:sync', '/root/crontab', '--company', 'acme');
    expect(await outputOf(await start(1))).to.equal('horarium\n0022\n');
    expect(await machine.run('journalctl', '--unit', 'horarium')).to.include('jobs are contained by cgroup');
  });

  it('is started again by a second installation, with the same settings, key and store', async () => {
    const before = await machine.run('cat', '/etc/horarium/horarium.yaml', keyFile);
    const out = await machine.horarium('service:install');
    expect(out).to.include('horarium.yaml is kept').and.include('The service was started');
    expect(out).not.to.match(/password|was created/);
    expect(await machine.run('cat', '/etc/horarium/horarium.yaml', keyFile)).to.equal(before);
    expect(await machine.horarium('status')).to.match(/^counts\.companies +1$/m);
  });

  it('is started again when it is killed', async () => {
    const pid = await mainPid();
    await machine.run('kill', '-9', pid);
    await eventually('systemd starts it again', async () => {
      const [state] = await property('ActiveState');
      return state === 'active' && (await mainPid()) !== pid;
    });
  });

  it('does not become a service of root that would run jobs as root', async () => {
    const refusal = await failure('service:install', '--user', 'root');
    expect(refusal).to.match(/horarium\.yaml has no run_as, so that jobs would run as root/);
    expect(await property('User')).to.deep.equal(['horarium']);
  });

  it('runs jobs of the users of crontabs that it lists, if it is of root', async () => {
    await machine.run('systemctl', 'disable', '--now', 'horarium');
    await machine.run('rm', '-r', '/etc/horarium', '/var/lib/horarium');
    await machine.horarium('service:install', '--user', 'root');
    await machine.run('sed', '-i', 's/users: \\[\\]/users: [daemon, root]/', '/etc/horarium/horarium.yaml');
    await machine.run('systemctl', 'restart', 'horarium');
    await machine.horarium('company:save', '--code', 'acme', '--name', 'Acme');
    machine.writeFile(
      '/etc/cron.d/two',
      '* * * * * daemon id -un\n* * * * * bin id -un\n* * * * * root echo $HOME $USER\n',
    );
    await machine.horarium('crontab:sync', '/etc/cron.d/two', '--company', 'acme');
    expect(await outputOf(await start(1))).to.equal('daemon\n');
    expect(await outputOf(await start(3))).to.equal('/root root\n');
    const refused = await ended(await start(2));
    // A later installation keeps the user.
    expect(await machine.horarium('service:install')).to.include('The service was started');
    expect(await property('User')).to.deep.equal(['']);
    expect(refused['reason']).to.match(
      /^It was to run as bin, which the option users of executor-native does not list/,
    );
  });

  it('has no more capabilities than root needs to start jobs as other users', async () => {
    const status = await machine.run('cat', `/proc/${await mainPid()}/status`);
    // chown, dac_override, fowner, kill, setgid, setuid, sys_ptrace.
    expect(/^CapBnd:\t(.+)$/m.exec(status)?.[1]).to.equal('00000000000800eb');
  });

  it('is not installed by anyone but root, nor in the place of another unit', async () => {
    const asUser = ['setpriv', '--reuid', 'daemon', '--clear-groups', '--', ...machine.program, 'service:install'];
    expect(await machine.output(...asUser)).to.match(/^Only root can install the service: sudo /m);
    machine.writeFile('/etc/systemd/system/horarium.service', '[Service]\nExecStart=/bin/true\n');
    expect(await failure('service:install', '--user', 'root')).to.match(
      /horarium\.service was not written by service:install: move it away first/,
    );
  });

  const keyFile = '/etc/horarium/vault_key';
  const store = '/var/lib/horarium/var/horarium.sqlite';

  async function property(...names: readonly string[]): Promise<string[]> {
    const shown = await machine.run('systemctl', 'show', `--property=${names.join(',')}`, 'horarium');
    return shown
      .trim()
      .split('\n')
      .map((line) => line.slice(line.indexOf('=') + 1));
  }

  const mainPid = async () => (await property('MainPID'))[0] as string;

  async function failure(...line: readonly string[]): Promise<string> {
    return machine.horarium(...line).then(
      () => 'It did not fail.',
      ({ stderr }) => stderr,
    );
  }

  /** Starts a job of a template. @returns its id. */
  async function start(template: number): Promise<number> {
    const job = await machine.horarium('runtemplate:run', String(template), '--format', 'json');
    return JSON.parse(job).id;
  }

  async function ended(job: number): Promise<Record<string, unknown>> {
    const get = async () => JSON.parse(await machine.horarium('job:get', String(job), '--format', 'json'));
    return eventually('the job ends', async () => {
      const found = await get();
      return found.finished_at !== null && found;
    });
  }

  async function outputOf(job: number): Promise<string> {
    await ended(job);
    return machine.horarium('job:output', String(job));
  }
});

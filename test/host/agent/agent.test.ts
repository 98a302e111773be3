import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { endSleeping, sleeping, uniqueSleep } from '../../plugins/executor-native/native-run.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';
import { SpawnedProgram } from '../../support/program/spawned-program.ts';
import type { Instruction } from './agent-program.ts';

const program = join(import.meta.dirname, 'agent-program.js');
const receiver = `
  use IO::Socket::UNIX;
  my $socket = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Local => $ARGV[0]) or die;
  $socket->recv(my $message, 4096);
  print $message;
`;
const hasNotify = ![
  ['perl', '-MIO::Socket::UNIX', '-e1'],
  ['systemd-notify', '--version'],
].some(([file = '', ...line]) => spawnSync(file, line).status !== 0);

describe('horarium agent', () => {
  let folder: string;
  let agent: SpawnedProgram;
  beforeEach(() => {
    folder = temporaryFolder('agent');
    writeFileSync(join(folder, 'credential'), 'the secret of brno-1\n', { mode: 0o600 });
  });
  afterEach(async () => {
    agent.process.kill('SIGKILL');
    await agent.ended;
    endSleeping();
    await eventually(
      'the folders of its jobs are gone',
      () => !readdirSync(folder).some((name) => name.startsWith('horarium-')),
    );
    rmSync(folder, { recursive: true, force: true });
  });

  /** The user of jobs must be said where the tests run as root. */
  const settings = { HORARIUM_RUN_AS: process.getuid?.() === 0 ? 'root' : '' };

  function start(line: readonly string[], environment: Readonly<Record<string, string>> = {}): SpawnedProgram {
    const options = JSON.stringify({ 'executor-native': { folder, grace: 1 } });
    agent = new SpawnedProgram(
      ['agent', ...line],
      { folder, environment: { ...settings, HORARIUM_PLUGIN_OPTIONS: options, ...environment } },
      { program, input: 'pipe' },
    );
    return agent;
  }

  async function started(line: readonly string[] = [], environment: Readonly<Record<string, string>> = {}) {
    start(['--credential', 'credential', ...line], environment);
    await agent.waitForOutput(/^agent brno-1 /m);
    return agent;
  }

  const tell = (instruction: Instruction) => agent.process.stdin?.write(`${JSON.stringify(instruction)}\n`);
  const end = async (job: number) => JSON.parse((await agent.waitForOutput(new RegExp(`^{"job":${job},.*}$`, 'm')))[0]);

  it('runs jobs by the executors of its machine, with the credential of a file, and labels', async () => {
    await started(['--slots', '3', '--label', 'site=brno', '--label', 'arch=arm64']);
    expect(agent.out).to.contain(JSON.stringify({ credential: 20, labels: { site: 'brno', arch: 'arm64' } }));
    expect(agent.out).to.match(/^agent brno-1 of branch: up to 3 jobs at once, by .*\bnative\b/m);
    tell({ run: 'echo hello; env' });
    const { exitCode, output } = await end(1);
    expect(exitCode).to.equal(0);
    expect(output)
      .to.match(/^hello\n/)
      .and.to.not.match(/CREDENTIAL|NOTIFY|HORARIUM_(?:RUN_AS|PLUGIN|LOG|CONFIG)/);
    tell({ run: 'true', executor: 'elsewhere' });
    expect(await end(2)).to.include({ exitCode: null, reason: 'this agent has no executor elsewhere' });
    await agent.waitForError(/"job_id":1,"executor":"native",.*"msg":"a job starts"/);
    await agent.waitForError(
      /"job_id":1,"exit_code":0,"signal":null,"timed_out":false,"lost":false,"stop_reason":null,.*ended/,
    );
    await agent.waitForError(/"job_id":2,"exit_code":null,.*"msg":"a job has ended"/);
    agent.process.kill('SIGTERM');
    expect(await agent.ended).to.equal(0);
    expect(agent.err).to.match(/the agent has started[\s\S]*the agent has stopped/);
    expect(agent.out + agent.err).to.not.contain('the secret');
  });

  it('reads the credential that systemd passes', async () => {
    const directory = join(folder, 'credentials');
    mkdirSync(directory);
    writeFileSync(join(directory, 'agent_credential'), 'of systemd');
    start([], { CREDENTIALS_DIRECTORY: directory });
    await agent.waitForOutput(/"credential":10,/);
  });

  it('waits for its jobs when it is asked to stop, and stops them after the grace', async () => {
    const sleep = uniqueSleep();
    await started([], { HORARIUM_SHUTDOWN_GRACE: '1s' });
    tell({ run: `echo begun; sleep ${sleep}` });
    tell({ run: `until [ -e go ]; do sleep 0.01; done`.replace('go', join(folder, 'go')) });
    await eventually('it runs', () => sleeping(sleep) === 1);
    agent.process.kill('SIGTERM');
    await agent.waitForError(/stopping: no new jobs/);
    writeFileSync(join(folder, 'go'), '');
    expect(await end(2)).to.include({ exitCode: 0, lost: false });
    expect(await agent.ended).to.equal(0);
    const reason = 'the agent was shut down';
    expect(await end(1)).to.include({ signal: 'SIGTERM', lost: true, reason, stopReason: reason, output: 'begun\n' });
    expect(sleeping(sleep)).to.equal(0);
  });

  it('kills its jobs when it is revoked, and exits with a sentence', async () => {
    const sleep = uniqueSleep();
    await started();
    tell({ run: `trap '' TERM; sleep ${sleep}` });
    await eventually('it runs', () => sleeping(sleep) === 1);
    tell({ order: { kind: 'revoked', reason: 'its machine was sold' } });
    expect(await agent.ended).to.equal(1);
    expect(agent.messages).to.equal('its machine was sold.\n');
    expect(sleeping(sleep)).to.equal(0);
  });

  for (const signal of ['SIGKILL', 'SIGSTOP'] as const)
    it(`leaves no job behind after ${signal}`, async () => {
      const sleep = uniqueSleep();
      await started();
      tell({ lease: 3000 });
      tell({ run: `trap '' TERM; setsid sleep ${sleep} & sleep ${sleep}` });
      await eventually('it runs', () => sleeping(sleep) === 2);
      agent.process.kill(signal);
      await eventually('its processes are gone', () => sleeping(sleep) === 0);
    });

  it('tells systemd that it is ready', async function () {
    if (!hasNotify) this.skip();
    const socket = join(folder, 'notify');
    const listener = spawn('perl', ['-e', receiver, socket]);
    await eventually('the socket is there', () => existsSync(socket));
    const message = text(listener.stdout);
    await started([], { NOTIFY_SOCKET: socket });
    expect((await message).split('\n')).to.include('READY=1');
  });

  describe('does not start', () => {
    const refused = async (line: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
      start(line, environment);
      expect([await agent.ended, agent.out]).to.deep.equal([1, '']);
      return agent.messages;
    };

    it('without a credential, or with one that it cannot read', async () => {
      expect(await refused([])).to.equal(
        'An agent needs a credential: --credential names the file that holds it, or systemd passes it as agent_credential.\n',
      );
      expect(await refused(['--credential', 'missing'])).to.equal(
        `The file ${folder}/missing, which --credential names, cannot be read (ENOENT).\n`,
      );
    });

    it('with settings of the service, whose database and key it must not know', async () => {
      writeFileSync(join(folder, 'agent.yaml'), 'port: 8080\nshutdown_grace: 1s\n');
      const line = ['--credential', 'credential', '--config', 'agent.yaml'];
      const sentence =
        'is not a setting of an agent, which has neither a store nor an API: leave it out on this machine.\n';
      for (const key of [Buffer.alloc(32).toString('base64'), 'no key at all'])
        expect((await refused(line, { HORARIUM_VAULT_KEY: key })).split('\n').toSorted().join('\n')).to.equal(
          `\nHORARIUM_VAULT_KEY ${sentence}port in agent.yaml ${sentence}`.trimEnd(),
        );
      expect(await refused(['--credential', 'credential'], { HORARIUM_VAULT_KEY_FILE: 'missing' })).to.equal(
        `vault_key ${sentence}`,
      );
    });

    it('with workers, which are slots of an agent', async () => {
      const sentence = 'is not a setting of an agent: its --slots says how many jobs run at once.\n';
      expect(await refused(['--workers', '4'])).to.equal(`--workers ${sentence}`);
      expect(await refused([], { HORARIUM_WORKERS: '4' })).to.equal(`HORARIUM_WORKERS ${sentence}`);
    });

    it('with plugins that bring no executor of this machine', async () => {
      const line = ['--credential', 'credential', '--plugins', 'format-json,executor-external'];
      expect(await refused(line, { HORARIUM_PLUGIN_OPTIONS: '{}' })).to.equal(
        'None of the plugins has an executor that starts jobs on this machine.\n',
      );
    });

    it('as root where no setting says as whom jobs run', async function () {
      if (process.getuid?.() !== 0) this.skip();
      expect(await refused(['--credential', 'credential'], { HORARIUM_RUN_AS: '' })).to.match(
        /^Native jobs would run as root while the agent takes jobs from other machines: HORARIUM_RUN_AS names the user/,
      );
    });
  });

  it('warns of a credential that every user can read, and reads its settings from a file', async () => {
    chmodSync(join(folder, 'credential'), 0o644);
    writeFileSync(join(folder, 'agent.yaml'), 'plugins: [executor-native, ./nothing]\n');
    start(['--credential', 'credential', '--config', 'agent.yaml']);
    expect(await agent.ended).to.equal(1);
    expect(agent.messages).to.match(/^Warning: every user .*\/credential, which --credential names; .*\n.*\.\/nothing/);
  });

  it('exits with 2 for options that it cannot read', async () => {
    for (const line of ['--slots 0', '--slots 1001', '--label site', '--label Site=brno', '--label a=b --label a=c']) {
      start(line.split(' '));
      expect([line, await agent.ended]).to.deep.equal([line, 2]);
    }
  });
});

import { readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { buildRegistries, describeFields, preparePlugin, systemClock } from '@horarium/core';
import { attemptOf } from '@horarium/core/contracts';
import type { Executor, Fields } from '@horarium/core/plugin';
import { expect } from 'chai';
import plugin from '../../../plugins/executor-container/plugin.ts';
import { nativeExecutor } from '../../support/executors/native-executor.ts';
import { eventually } from '../../support/mocha/eventually.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';
import { runAttempt, StandIn } from './stand-in.ts';

const shell = (script: string) => ({ executable: 'sh', arguments: ['-c', script] });
const sleeping = { executable: 'sleep', arguments: ['1000'] };

describe('A container', () => {
  let standIn: StandIn;
  let executor: Executor;
  beforeEach(() => {
    standIn = new StandIn();
    executor = standIn.executor() as Executor;
  });
  afterEach(() => executor.close?.());

  it('is created from the image of the App, without a shell, and removed afterwards', async () => {
    const given = {
      executable: 'echo',
      arguments: ['$HOME', "a 'b'", '; exit 7'],
      image: 'registry.example/app:2',
      jobId: 42,
    };
    expect(await runAttempt(executor, given)).to.include({ exitCode: 0, stdout: "$HOME a 'b' ; exit 7\n" });
    const [create = ''] = standIn.calls('create');
    expect(create).to.contain('--label horarium.job=42').and.contain(`--label horarium.host=${hostname()}`);
    expect(create).to.match(/--entrypoint echo registry\.example\/app:2 \\\$HOME /);
    expect(create).to.not.contain('--rm');
    expect(standIn.containers()).to.deep.equal([]);
  });

  it('gets its environment by the input of its command line, in no file that has a name', async () => {
    const folder = temporaryFolder('container-env');
    const own = standIn.executor({ folder });
    const environment = { TOKEN: ' "quoted" $x # y ', LINES: 'one\ntwo', LONG: 'x'.repeat(70_000) };
    const { stdout } = await runAttempt(own as Executor, {
      ...shell('printf "%s|%s|%s" "$TOKEN" "$LINES" "${#LONG}"'),
      environment,
    });
    expect(stdout).to.equal(' "quoted" $x # y |one\ntwo|70000');
    const [create = ''] = standIn.calls('create');
    expect(create)
      .to.match(/^create --env-file \/dev\/stdin .*--env LINES --env LONG /)
      .and.not.contain('quoted');
    expect(standIn.read('environment-file')).to.match(/ \(deleted\)\n$/);
    await own.close();
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('gives its command line nothing of the environment of the service', async () => {
    process.env['HORARIUM_TEST_SECRET'] = 'of the service';
    await runAttempt(executor, { executable: 'true' });
    delete process.env['HORARIUM_TEST_SECRET'];
    expect(standIn.read('environment')).to.not.contain('HORARIUM_TEST_SECRET');
  });

  it('is restricted as the template says, and as the operator says for all', async () => {
    const own = standIn.executor({ arguments: ['--cap-drop=ALL'] }) as Executor;
    const options = {
      private_network: true,
      read_only_root: true,
      memory_max: 1_000_000,
      pids_max: 9,
      cpu_max: 150,
      grace: 3,
    };
    await runAttempt(own, { executable: 'true', options, runAs: '20001' });
    const expected =
      '--cap-drop=ALL --network none --read-only --memory 1000000b --pids-limit 9 --cpus 1.5 --user 20001:20001 ';
    expect(standIn.calls('create')[0]).to.contain(expected);
    await own.close?.();
  });

  for (const [given, reason] of [
    [{ image: null }, 'true cannot run in a container: its App names no oci_image'],
    [{ image: '--privileged' }, 'true cannot run in a container: --privileged is no image'],
    [
      { runAs: 'no-such-user' },
      'true cannot run as no-such-user in a container: there is no such user on this machine',
    ],
    [
      { environment: { DOCKER_HOST: 'a\nb' } },
      'the variable DOCKER_HOST is too long, or has several lines, for a container',
    ],
  ] as const)
    it(`is not created for an attempt with ${JSON.stringify(given)}`, async () => {
      expect(await runAttempt(executor, { executable: 'true', ...given })).to.include({ exitCode: 126, reason });
      expect(standIn.calls('create')).to.deep.equal([]);
    });

  it('is not created from an image that is missing, and the reason says so', async () => {
    const reason = 'no container of missing:1 could be created: missing:1: no such image';
    expect(await runAttempt(executor, { executable: 'true', image: 'missing:1' })).to.include({
      exitCode: 126,
      reason,
    });
  });

  it('is not created while the daemon does not answer, or its command line is not installed', async () => {
    standIn.misbehave('no-daemon');
    const reason = 'no container of image:1 could be created: the daemon does not answer';
    expect(await runAttempt(executor, { executable: 'true' })).to.include({ exitCode: 126, reason });
    const missing = standIn.executor({ podman: '/no/such/podman' }) as Executor;
    const expected = { exitCode: 127, reason: 'The executable /no/such/podman was not found.' };
    expect(await runAttempt(missing, { executable: 'true' })).to.include(expected);
    await missing.close?.();
  });

  it('that is being created, as while its image is pulled, is given up when it is stopped', async () => {
    standIn.misbehave('hangs');
    const running = executor.start(attemptOf({ ...sleeping, image: 'image:1' }), { started() {}, output() {} });
    await eventually('it is being created', () => standIn.calls('create').length > 0);
    running.stop('not needed');
    expect((await running.done).reason).to.equal('not needed');
  });

  it('is asked to end before it is killed', async () => {
    const script = 'trap "echo asked; exit 0" TERM; echo ready; while :; do sleep 0.05; done';
    let stdout = '';
    const running = executor.start(attemptOf({ ...shell(script), image: 'image:1', timeout: null }), {
      started: () => undefined,
      output: (stream, bytes) => {
        if (stream === 'stderr') return;
        stdout += Buffer.from(bytes).toString();
        if (stdout === 'ready\n') running.stop('not needed');
      },
    });
    expect((await running.done).reason).to.equal('not needed');
    expect(stdout).to.equal('ready\nasked\n');
    expect(standIn.calls('stop')[0]).to.match(/^stop --time 2 horarium-1-/);
    expect(standIn.containers()).to.deep.equal([]);
  });

  it('whose command line is killed is removed, and its attempt is lost', async () => {
    standIn.misbehave('dies');
    const { lost, reason, exitCode } = await runAttempt(executor, sleeping);
    expect([lost, exitCode]).to.deep.equal([true, null]);
    expect(reason).to.match(/^the command line that watched the container was killed by SIGKILL/);
    expect(standIn.containers()).to.deep.equal([]);
  });

  it('that is killed for its use of memory says so', async () => {
    standIn.misbehave('out-of-memory');
    const reason = 'it used more memory than it may, and was killed';
    expect(await runAttempt(executor, shell('exit 137'))).to.include({ exitCode: 137, reason });
  });

  it('ends with the exit code of its program, also with one that the command line has for errors of its own', async () => {
    expect(await runAttempt(executor, shell('exit 125'))).to.include({ exitCode: 125, reason: null });
  });

  it('leaves the files that its App names, and notes those that are not stored', async () => {
    const script =
      'cd "$HORARIUM_WORKDIR"; echo one >report.txt; echo two >other; head -c 1001 /dev/zero >large.txt; ln -s /etc/passwd link.txt';
    const artifacts = [{ name: 'texts', path: '\\.txt$', type: null }];
    const given = attemptOf({ ...shell(script), image: 'image:1', artifacts });
    let stderr = '';
    const output = (_stream: string, bytes: Uint8Array) => {
      stderr += Buffer.from(bytes).toString();
    };
    const { exitCode, files } = await executor.start(given, { started() {}, output }).done;
    expect([exitCode, files.map(({ filename, content }) => [filename, String(content)])]).to.deep.equal([
      0,
      [['report.txt', 'one\n']],
    ]);
    expect(stderr.split('\n').filter(Boolean).sort()).to.deep.equal([
      '[horarium: large.txt was not stored: it has 1001 bytes; a file may have at most 1000]',
      '[horarium: link.txt was not stored: it is not a regular file]',
    ]);
    expect(standIn.calls('create')[0]).to.contain('--volume /horarium --workdir /horarium ');
  });

  it('has its output cut at the limit', async () => {
    const own = standIn.executor({ max_output: 10 }) as Executor;
    const { stdout } = await runAttempt(own, shell('printf 0123456789abc'));
    expect(stdout).to.equal('0123456789\n[horarium: output cut after 10 bytes]\n');
    await own.close?.();
  });

  it('is removed by the launcher when the lease of the worker runs out, and its attempt is lost', async () => {
    const given = attemptOf({ ...sleeping, image: 'image:1' });
    const running = executor.start(given, { started: () => executor.keepAlive?.(50), output() {} });
    const { lost, reason } = await running.done;
    expect({ lost, reason }).to.deep.equal({ lost: true, reason: "The worker's lease ran out." });
    expect(standIn.containers()).to.deep.equal([]);
  });
});

describe('The plugin executor-container', () => {
  it('brings the executors docker and podman, and calls the command lines that its options name', async () => {
    const standIn = new StandIn();
    const given = { podman: standIn.cli.program, environment: standIn.cli.environment };
    const { executors } = buildRegistries([preparePlugin(plugin, given, systemClock)]);
    expect(executors.keys()).to.deep.equal(['docker', 'podman']);
    const podman = executors.get('podman') as Executor;
    expect(await runAttempt(podman, { executable: 'true' })).to.include({ exitCode: 0 });
    await podman.close?.();
  });

  it('brings executors that recognize Apps with an image, and restrict their jobs by options that native ones have too', () => {
    const { executors } = buildRegistries([preparePlugin(plugin, {}, systemClock)]);
    const app = { executable: 'true', arguments: [], oci_image: null };
    const restrictions = (options: Fields) =>
      describeFields(options).flatMap(({ name, restricts }) => (restricts ? [name] : []));
    for (const executor of executors as Iterable<Executor>) {
      expect(executor.recognizes?.(app)).to.equal(false);
      expect(executor.recognizes?.({ ...app, oci_image: 'docker.io/library/alpine:3' })).to.equal(true);
      const known = restrictions(nativeExecutor().options);
      expect(known).to.include.members(restrictions(executor.options)).and.to.include('user');
      expect(restrictions(executor.options)).to.include('private_network');
    }
  });
});

import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attemptOf } from '@horarium/core/contracts';
import type { Executor } from '@horarium/core/plugin';
import { expect } from 'chai';
import { limits, podmanExecutor, runAttempt } from './stand-in.ts';

/** The podman of the machine, which `.ci/run` installs; the tests are skipped without it. */
const podman = process.env['HORARIUM_TEST_PODMAN'];
const busybox = '/bin/busybox';
const image = 'localhost/horarium-test:1';

/**
 * Settings with which podman runs as root in a container without memory and network controllers of its own, and has its
 * state in a folder.
 */
const settingsIn = (folder: string) => `[containers]
default_ulimits=["nofile=1024:1024","nproc=1024:1024"]
cgroupns="host"
netns="none"
[engine]
cgroup_manager="cgroupfs"
runtime="runc"
events_logger="file"
lock_type="file"
tmp_dir="${folder}/state"
`;

/** The cgroups that podman makes for its containers and leaves. */
const podmanCgroups = () => globSync('/sys/fs/cgroup/**/libpod_parent');

describe('A container of the real podman', () => {
  let executor: Executor;
  let environment: Record<string, string>;
  let folder: string | undefined;
  let cgroupsBefore: readonly string[] = [];
  const call = (...args: string[]) =>
    execFileSync(podman as string, args, { env: environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const containers = () => call('ps', '--all', '--quiet');
  const shell = (script: string) => ({ executable: 'sh', arguments: ['-c', script], image });

  before(async function () {
    if (!podman) return this.skip();
    // podman waits forever for containers whose files have paths as long as those of other tests.
    folder = mkdtempSync(join(tmpdir(), 'hp-'));
    cgroupsBefore = podmanCgroups();
    writeFileSync(join(folder, 'containers.conf'), settingsIn(folder));
    const storage = `[storage]\ndriver="vfs"\ngraphroot="${folder}/graph"\nrunroot="${folder}/run"\n`;
    writeFileSync(join(folder, 'storage.conf'), storage);
    const bin = join(folder, 'root/bin');
    mkdirSync(bin, { recursive: true });
    await copyFile(busybox, join(bin, 'busybox'));
    for (const name of ['sh', 'cat', 'sleep', 'printf']) symlinkSync('busybox', join(bin, name));
    execFileSync('tar', ['-C', join(folder, 'root'), '-cf', join(folder, 'root.tar'), '.']);
    environment = {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: folder,
      CONTAINERS_CONF: join(folder, 'containers.conf'),
      CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
    };
    try {
      call('import', join(folder, 'root.tar'), image);
    } catch {
      return this.skip();
    }
    const options = { podman, environment, grace: 1, folder, ...limits, arguments: ['--pull=never'] };
    executor = podmanExecutor(options, console.error) as Executor;
  });
  after(async () => {
    await executor?.close?.();
    for (const made of podmanCgroups().filter((path) => !cgroupsBefore.includes(path))) {
      for (const below of globSync(`${made}/*/`)) rmdirSync(below);
      rmdirSync(made);
    }
    if (folder) rmSync(folder, { recursive: true });
  });

  it('runs the program with its arguments, environment and input, and is removed', async () => {
    const given = {
      ...shell('cat; printf "%s" "$A|$B"; echo err >&2; exit 5'),
      stdin: 'in ',
      environment: { A: ' "a" ', B: 'b\nc' },
    };
    const result = await runAttempt(executor, given);
    expect(result).to.include({ exitCode: 5, reason: null, stdout: 'in  "a" |b\nc', stderr: 'err\n' });
    expect(containers()).to.equal('');
  });

  it('says which program the image does not hold, and which image there is not', async () => {
    const noProgram = await runAttempt(executor, { executable: 'no-such-program', image });
    expect(noProgram.exitCode).to.equal(127);
    expect(noProgram.reason).to.match(
      /^no-such-program could not be started in localhost.horarium-test:1: .*not found/,
    );
    const noImage = await runAttempt(executor, { executable: 'sh', image: 'localhost/no-such-image:1' });
    expect(noImage.exitCode).to.equal(126);
  });

  it('leaves the files that its App names', async () => {
    const given = attemptOf({
      ...shell('pwd >where.txt; echo "$HORARIUM_WORKDIR" >>where.txt'),
      resultFile: 'where.txt',
    });
    const { files } = await executor.start(given, { started() {}, output() {} }).done;
    expect(files.map(({ content }) => String(content))).to.deep.equal(['/horarium\n/horarium\n']);
  });

  it('is stopped', async () => {
    const running = executor.start(attemptOf(shell('sleep 1000')), {
      started: () => running.stop('not needed'),
      output() {},
    });
    expect((await running.done).reason).to.equal('not needed');
    expect(containers()).to.equal('');
  });

  it('is removed when its launcher is killed', async () => {
    const [launcher] = globSync(`${folder}/horarium-jobs-*/launcher`);
    const running = executor.start(attemptOf(shell('trap "exit" TERM; sleep 1000 & wait')), {
      started: () => process.kill(JSON.parse(readFileSync(launcher as string, 'utf8')).pid, 'SIGKILL'),
      output() {},
    });
    expect(await running.done).to.include({ lost: true });
    expect(containers()).to.equal('');
  });
});

import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { sourceRoot } from '../../house/source-files.ts';
import { eventually } from '../mocha/eventually.ts';
import { temporaryFolder } from '../mocha/temporary-folder.ts';
import { livingProcesses } from '../program/processes.ts';

const run = promisify(execFile);
const init = '/lib/systemd/systemd';

/** Where the checkout lies for the services of a booted systemd, so that every user can read it. */
const checkout = '/opt/horarium';

/**
 * Prepares a copy of the machine whose changes are dropped with it, with namespaces of its own, and becomes its systemd. Units
 * that have nothing to do with the test are masked.
 */
const boot = `
set -e
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
cd "$1/root"
mount -t tmpfs tmpfs run
mount -t proc proc proc
mount --rbind /dev dev
mount -t tmpfs tmpfs dev/shm
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mkdir -p "opt/horarium"
mount --bind "$2" opt/horarium
rm -f etc/systemd/system/*.wants/*
ln -sf /dev/null etc/systemd/system/systemd-udevd.service
pivot_root . mnt
cd /
umount -l /mnt
mount --make-rshared /
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin container=test ${init} --unit=multi-user.target --log-target=null
`;

/** A systemd that has booted a copy of this machine, for a test that installs a service there. */
export class BootedSystemd implements AsyncDisposable {
  readonly #cgroup: string;
  readonly #outer: ChildProcess;
  readonly #pid: number;

  private constructor(cgroup: string, outer: ChildProcess, pid: number) {
    this.#cgroup = cgroup;
    this.#outer = outer;
    this.#pid = pid;
  }

  /** Says why this machine cannot boot one; null where it can. */
  static get missing(): string | null {
    if (process.getuid?.() !== 0) return 'it needs root';
    if (!existsSync(init)) return 'this machine has no systemd';
    if (unifiedCgroups() === null) return 'this machine has no cgroups v2';
    try {
      execFileSync('unshare', ['--mount', '--pid', '--fork', '--cgroup', 'mount', '-t', 'cgroup2', 'none', '/mnt'], {
        stdio: 'ignore',
      });
      return null;
    } catch {
      return 'this process may not mount file systems';
    }
  }

  static async boot(): Promise<BootedSystemd> {
    const folder = temporaryFolder('systemd');
    const cgroup = `${unifiedCgroups()}/horarium-test-${process.pid}`;
    mkdirSync(cgroup);
    const namespaces = ['--mount', '--pid', '--fork', '--kill-child', '--cgroup', '--uts', '--ipc', '--net'];
    const line = ['-c', `echo $$ > "$0" && exec unshare ${namespaces.join(' ')} sh -c "$1" sh "$2" "$3"`];
    const outer = spawn('sh', [...line, `${cgroup}/cgroup.procs`, boot, folder, sourceRoot], { stdio: 'ignore' });
    const isInit = ({ parent, command }: { parent: number; command: string }) =>
      parent === outer.pid && command.startsWith(init);
    await eventually('systemd is started', () => livingProcesses().some(isInit));
    const booted = new BootedSystemd(cgroup, outer, livingProcesses().find(isInit)?.pid as number);
    await eventually('systemd has booted', async () =>
      /running|degraded/.test(await booted.output('systemctl', 'is-system-running')),
    );
    return booted;
  }

  /** Runs a program there. @returns its output. @throws Error with its output if it fails. */
  async run(...line: readonly string[]): Promise<string> {
    const namespaces = ['--mount', '--pid', '--cgroup', '--uts', '--ipc', '--net', '--root'];
    const enter = ['--target', String(this.#pid), ...namespaces, 'sh', '-c', 'cd / && exec "$@"', 'sh'];
    const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
    return (await run('nsenter', [...enter, ...line], { env })).stdout;
  }

  /** Runs a program there. @returns its output and its errors, also if it fails. */
  async output(...line: readonly string[]): Promise<string> {
    const ended = await this.run(...line).then(
      (stdout) => ({ stdout, stderr: '' }),
      (error: { stdout: string; stderr: string }) => error,
    );
    return ended.stdout + ended.stderr;
  }

  /** The program that starts any command of the service there. */
  readonly program = [`${checkout}/node_modules/.bin/node`, `${checkout}/dist/bundle/main.js`] as const;

  /** Runs the command line of the service there. */
  horarium(...line: readonly string[]): Promise<string> {
    return this.run(...this.program, ...line);
  }

  writeFile(path: string, text: string): void {
    writeFileSync(`/proc/${this.#pid}/root${path}`, text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#outer.kill('SIGKILL');
    await eventually('systemd has ended', () => !existsSync(`/proc/${this.#pid}`));
    await eventually('its cgroups are removed', () => {
      execFileSync('find', [this.#cgroup, '-mindepth', '1', '-depth', '-type', 'd', '-delete'], { stdio: 'ignore' });
      rmdirSync(this.#cgroup);
      return true;
    });
  }
}

/** Where the cgroups of version 2 are mounted; null where they are not. */
function unifiedCgroups(): string | null {
  return ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'].find((path) => existsSync(`${path}/cgroup.procs`)) ?? null;
}

import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The podman of the machine, which `.ci/run` installs; tests that need it are skipped without it. */
export const podman = process.env['HORARIUM_TEST_PODMAN'];
const busybox = '/bin/busybox';

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

/** Podman with images, containers and volumes of its own, which are removed with it. */
export class TestPodman {
  // podman waits forever for containers whose files have paths as long as those of other tests.
  readonly folder = mkdtempSync(join(tmpdir(), 'hp-'));
  readonly environment: Record<string, string>;

  constructor() {
    const { folder } = this;
    writeFileSync(join(folder, 'containers.conf'), settingsIn(folder));
    const storage = `[storage]\ndriver="vfs"\ngraphroot="${folder}/graph"\nrunroot="${folder}/run"\n`;
    writeFileSync(join(folder, 'storage.conf'), storage);
    this.environment = {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: folder,
      CONTAINERS_CONF: join(folder, 'containers.conf'),
      CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
    };
  }

  /** Runs podman. @returns what it writes. @throws Error when it fails. */
  call(...args: string[]): string {
    const { environment: env } = this;
    return execFileSync(podman as string, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  }

  /** Makes the files of an image that has programs of busybox. @returns their folder. */
  async makeFiles(programs: readonly string[]): Promise<string> {
    const root = join(this.folder, 'root');
    mkdirSync(join(root, 'bin'), { recursive: true });
    await copyFile(busybox, join(root, 'bin/busybox'));
    for (const name of programs) symlinkSync('busybox', join(root, 'bin', name));
    return root;
  }

  /** Makes an image of files. @returns whether podman can do so on this machine. */
  importImage(image: string, root: string): boolean {
    const packed = `${root}.tar`;
    execFileSync('tar', ['-C', root, '-cf', packed, '.']);
    try {
      this.call('import', packed, image);
      return true;
    } catch {
      return false;
    }
  }

  /** Removes everything; no container may run. */
  [Symbol.dispose](): void {
    // The cgroups that podman makes for its containers and leaves; those with children come last.
    for (const pattern of ['libpod_parent/*/', 'libpod_parent/'])
      for (const cgroup of globSync(`/sys/fs/cgroup/**/${pattern}`)) removeUnused(cgroup);
    rmSync(this.folder, { recursive: true });
  }
}

/** Removes a cgroup unless it has processes or children, such as those of a test that runs at the same time. */
function removeUnused(cgroup: string): void {
  try {
    rmdirSync(cgroup);
  } catch (error) {
    if (!['EBUSY', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

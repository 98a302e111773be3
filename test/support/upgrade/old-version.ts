import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const checkout = join(import.meta.dirname, '../../../..');

/** A version of the service, built from a commit in a folder of its own. */
export class OldVersion implements AsyncDisposable {
  readonly root: string;
  readonly commit: string;

  private constructor(root: string, commit: string) {
    this.root = root;
    this.commit = commit;
  }

  /** Unpacks a commit and builds it, with the packages of this checkout or, where it needs others, its own. */
  static async build(revision: string): Promise<OldVersion> {
    const { stdout } = await git('rev-parse', '--short=7', revision);
    const root = mkdtempSync(join(tmpdir(), 'horarium-version-'));
    const version = new OldVersion(root, stdout.trim());
    try {
      const archive = join(root, 'archive.tar');
      await git('archive', '--output', archive, revision);
      await run('tar', ['-xf', archive, '-C', root]);
      const locks = [checkout, root].map((folder) => readFileSync(join(folder, 'package-lock.json'), 'utf8'));
      if (locks[0] === locks[1]) linkPackages(root);
      else await run('npm', ['ci'], { cwd: root });
      await run(join(root, 'node_modules/.bin/tsc'), ['-b', 'host', 'plugins'], { cwd: root });
    } catch (error) {
      await version[Symbol.asyncDispose]();
      throw error;
    }
    return version;
  }

  /** The file of its program. */
  get program(): string {
    return join(this.root, 'dist/host/main.js');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    rmSync(this.root, { recursive: true, force: true });
  }
}

function git(...line: readonly string[]) {
  return run('git', line, { cwd: checkout });
}

/** Links each package of this checkout into another one, except the packages of the checkout itself. */
function linkPackages(root: string): void {
  const packages = join(root, 'node_modules');
  const own = join(packages, '@horarium');
  mkdirSync(own, { recursive: true });
  symlinkSync(join(root, 'core'), join(own, 'core'));
  for (const name of readdirSync(join(checkout, 'node_modules')))
    if (!existsSync(join(packages, name))) symlinkSync(join(checkout, 'node_modules', name), join(packages, name));
}

import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PairsError } from './arguments.ts';
import { CommandError, runCommand } from './command.ts';

export interface Commit {
  readonly hash: string;
  readonly shortHash: string;
  readonly subject: string;
}

interface BuildOptions {
  /** The folder that keeps the builds. */
  readonly cache: string;
  /** Is called with each step, as a sentence without a full stop. */
  readonly progress: (step: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** The last file that a build gets. */
const marker = '.built-for-pairs';

/** A repository whose commits can be built beside its checkout. */
export class Repository {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /** @throws PairsError when it does not exist, or this is no repository. */
  async commit(name: string): Promise<Commit> {
    await this.#git('rev-parse', '--git-dir').catch((error) => {
      throw explained(error, (output) => `git cannot read the commits of ${this.root}: ${tail(output)}`);
    });
    const hash = await this.#git('rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`).catch(
      () => {
        throw new PairsError(`There is no commit ${name} in this repository; a shallow clone lacks older ones.`);
      },
    );
    const [subject = ''] = (await this.#git('log', '-1', '--format=%s', hash)).split('\n');
    return { hash, shortHash: hash.slice(0, 7), subject };
  }

  /** Whether the checkout has changes that no commit has, in files that git knows or would add. */
  async isDirty(): Promise<boolean> {
    return (await this.#git('status', '--porcelain')) !== '';
  }

  /**
   * Builds a commit in a folder of its own, unless that was done before. The folder is no worktree, so git keeps no
   * record of it.
   * @returns the folder.
   * @throws PairsError when its packages cannot be installed or it does not build.
   */
  async build(commit: Commit, { cache, progress, signal }: BuildOptions): Promise<string> {
    const folder = join(cache, commit.hash);
    if (existsSync(join(folder, marker))) return folder;
    const temporary = mkdtempSync(join(cache, `${commit.shortHash}-`));
    const run = (program: string, ...args: string[]) => runCommand({ program, args, cwd: temporary, signal });
    try {
      // Programs of other users, such as PostgreSQL's, read it too.
      chmodSync(temporary, 0o755);
      const archive = `${temporary}/.archive.tar`;
      await this.#git('archive', '--format=tar', '--output', archive, commit.hash);
      await run('tar', '-xf', archive);
      await rm(archive);
      await this.#installPackages(temporary, commit, progress, run);
      progress(`${commit.shortHash}: building`);
      await run('npm', 'run', '-s', 'build').catch((error) => {
        throw explained(error, (output) => `${commit.shortHash} does not build: ${tail(output)}`);
      });
      writeFileSync(join(temporary, marker), '');
      await rename(temporary, folder).catch((error) => {
        // Another run has built it meanwhile.
        if (!existsSync(join(folder, marker))) throw error;
      });
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
    return folder;
  }

  /** Links the packages of this checkout where the commit has the same lock file, because npm takes half a minute. */
  async #installPackages(
    folder: string,
    { shortHash }: Commit,
    progress: BuildOptions['progress'],
    run: (program: string, ...args: string[]) => Promise<string>,
  ): Promise<void> {
    const own = join(this.root, 'node_modules');
    if (existsSync(join(own, '.package-lock.json')) && lockOf(this.root) === lockOf(folder)) {
      progress(`${shortHash}: linking the packages of this tree, which are the same`);
      // Hard links, which cannot cross file systems.
      const linked = await run('cp', '-al', own, folder).then(
        () => true,
        () => false,
      );
      if (linked) return;
      await rm(join(folder, 'node_modules'), { recursive: true, force: true });
    }
    progress(`${shortHash}: npm ci`);
    await run('npm', 'ci', '--prefer-offline', '--no-audit', '--no-fund').catch((error) => {
      const offline = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ENOTCACHED/;
      throw explained(error, (output) => {
        const cause = offline.test(output)
          ? 'npm does not reach its registry, and its cache lacks some of them'
          : 'npm ci failed';
        return `The packages of ${shortHash} cannot be installed: ${cause}.\n${tail(output)}`;
      });
    });
  }

  #git(...args: string[]): Promise<string> {
    return runCommand({ program: 'git', args, cwd: this.root });
  }
}

/** Creates the folder for builds of this user. @throws PairsError when others could write it, and so run programs. */
export function openCache(): string {
  const folder = join(tmpdir(), `horarium-pairs-${process.getuid?.() ?? 'builds'}`);
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const { uid, mode } = lstatSync(folder);
  if (!lstatSync(folder).isDirectory() || uid !== process.getuid?.() || (mode & 0o022) !== 0)
    throw new PairsError(`${folder} must be a folder that only this user can write: remove it.`);
  return folder;
}

function lockOf(folder: string): string {
  return readFileSync(join(folder, 'package-lock.json'), 'utf8');
}

/** Replaces the error of a command by a sentence; other errors, such as that of an interrupted run, stay. */
function explained(error: unknown, sentence: (output: string) => string): unknown {
  return error instanceof CommandError ? new PairsError(sentence(error.output)) : error;
}

/** The last lines of what a program printed. */
function tail(output: string): string {
  return output.trim().split('\n').slice(-8).join('\n');
}

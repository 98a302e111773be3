import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';
import { PairsError } from './arguments.ts';
import { Repository } from './checkout.ts';

describe('A commit that is built beside the checkout', () => {
  let root: string;
  let cache: string;
  const steps: string[] = [];
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], { cwd: root }).toString();
  const write = (name: string, content: object | string) =>
    writeFileSync(join(root, name), typeof content === 'string' ? content : JSON.stringify(content));
  const commitAll = (subject: string) => {
    git('add', '--all');
    git('commit', '--quiet', '--message', subject);
  };
  const build = async (name: string) => {
    const repository = new Repository(root);
    return repository.build(await repository.commit(name), { cache, progress: (step) => void steps.push(step) });
  };
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => expect.fail('It succeeds.'),
      (error: Error) => error,
    );

  beforeEach(() => {
    root = temporaryFolder('repository');
    cache = temporaryFolder('builds');
    steps.length = 0;
    git('init', '--quiet');
    write('.gitignore', 'node_modules/\n');
    write('.npmrc', 'registry=http://127.0.0.1:1/\nfetch-retries=0\n');
    write('package.json', { name: 'a', version: '1.0.0', scripts: { build: 'cp source built' } });
    write('package-lock.json', { name: 'a', version: '1.0.0', lockfileVersion: 3, packages: { '': { name: 'a' } } });
    write('source', 'first');
    commitAll('First');
  });
  afterEach(() => {
    for (const folder of [root, cache]) rmSync(folder, { recursive: true, force: true });
  });

  it('is found by any name of git, with its subject', async () => {
    const commit = await new Repository(root).commit('HEAD');
    expect(commit).to.deep.include({ subject: 'First', shortHash: commit.hash.slice(0, 7) });
    expect(commit.hash).to.equal(git('rev-parse', 'HEAD').trim());
  });

  for (const name of ['no-such-branch', '--all', 'HEAD:source'])
    it(`is refused by name where there is no commit ${name}`, async () => {
      const error = await refusal(new Repository(root).commit(name));
      expect(error).to.be.instanceOf(PairsError);
      expect(error.message).to.include(`no commit ${name} in this repository`);
    });

  it('is refused with what git says outside of a repository', async () => {
    rmSync(join(root, '.git'), { recursive: true });
    const error = await refusal(new Repository(root).commit('HEAD'));
    expect(error).to.be.instanceOf(PairsError);
    expect(error.message).to.match(/git cannot read the commits of .*: .*not a git repository/s);
  });

  it('has its own files and packages, is built once, and leaves no trace in the repository', async () => {
    write('source', 'second');
    expect(await new Repository(root).isDirty()).to.equal(true);
    const folder = await build('HEAD');
    const read = (name: string) => execFileSync('cat', [join(folder, name)]).toString();
    expect([read('source'), read('built')]).to.deep.equal(['first', 'first']);
    expect(steps).to.have.length(2);
    expect(await build('HEAD')).to.equal(folder);
    expect(steps).to.have.length(2);
    expect(readdirSync(cache)).to.deep.equal([git('rev-parse', 'HEAD').trim()]);
    expect(git('worktree', 'list').trim().split('\n')).to.have.length(1);
  });

  it('gets links to the packages of the checkout where the lock files are the same', async () => {
    mkdirSync(join(root, 'node_modules', 'b'), { recursive: true });
    for (const file of ['.package-lock.json', 'b/index.js']) write(join('node_modules', file), '{}');
    const inode = (folder: string) => statSync(join(folder, 'node_modules/b/index.js')).ino;
    expect(inode(await build('HEAD'))).to.equal(inode(root));
    expect(steps[0]).to.include('linking the packages');
  });

  it('is refused with the last words of a build that fails, and nothing of it stays', async () => {
    write('package.json', {
      name: 'a',
      version: '1.0.0',
      scripts: { build: 'echo This does not compile. >&2; exit 1' },
    });
    commitAll('Second');
    const error = await refusal(build('HEAD'));
    expect(error).to.be.instanceOf(PairsError);
    expect(error.message).to.match(/^[0-9a-f]{7} does not build: .*This does not compile\./s);
    expect(readdirSync(cache)).to.deep.equal([]);
  });

  it('is refused with the reason where npm does not reach the registry', async () => {
    const packages = {
      '': { name: 'a', dependencies: { b: '1.0.0' } },
      'node_modules/b': { version: '1.0.0', resolved: 'http://127.0.0.1:1/b.tgz' },
    };
    write('package.json', { name: 'a', version: '1.0.0', dependencies: { b: '1.0.0' }, scripts: { build: 'true' } });
    write('package-lock.json', { name: 'a', version: '1.0.0', lockfileVersion: 3, packages });
    commitAll('Second');
    const error = await refusal(build('HEAD'));
    expect(error).to.be.instanceOf(PairsError);
    expect(error.message).to.match(/cannot be installed: npm does not reach its registry/);
    expect(existsSync(join(cache, git('rev-parse', 'HEAD').trim()))).to.equal(false);
  });
});

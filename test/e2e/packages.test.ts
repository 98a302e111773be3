import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { publint } from 'publint';
import { sourceRoot } from '../house/source-files.ts';
import { checkedFetch } from '../support/http/checked-fetch.ts';
import type { ListeningServer } from '../support/http/embedding-servers.ts';
import { temporaryFolder } from '../support/mocha/temporary-folder.ts';
import {
  applicationFolder,
  type InstalledPackages,
  installedPackages,
  installTimeout,
  npmSettings,
  openPackedRegistry,
} from '../support/packages/installed-packages.ts';
import { oldNode } from '../support/program/old-node.ts';

const run = promisify(execFile);
const packageNames = { core: '@horarium/core', root: 'horarium' } as const;

describe('The packed packages', () => {
  let installed: InstalledPackages;
  before(async function () {
    this.timeout(installTimeout);
    installed = await installedPackages();
  });

  for (const name of ['core', 'root'] as const) {
    describe(packageNames[name], () => {
      const manifest = () => manifestIn(join(installed.both, 'node_modules', packageNames[name]));

      it('holds compiled files with their types, a README, the handbook, the console, the manual page and the licence, and nothing else', async () => {
        const { stdout } = await run('tar', ['-tzf', installed.tarballs[name]]);
        const files = stdout.trim().split('\n');
        const pages = files.filter((file) => /^package\/plugins\/docs\/handbook\/.*\.(?:md|yml|json)$/.test(file));
        expect(pages.length > 50).to.equal(name === 'root');
        const assets = files.filter((file) => file.startsWith('package/dist/console/'));
        expect(assets.some((file) => file.endsWith('.html'))).to.equal(name === 'root');
        const others = files.filter(
          (file) =>
            ![...pages, ...assets].includes(file) &&
            !/^package\/dist\/(?!test\/|cache\/).*(?:\.js|\.d\.ts)$/.test(file),
        );
        const manual = name === 'root' ? ['dist/man/horarium.1'] : [];
        const expected = ['LICENSE', 'README.md', 'package.json', ...manual].map((file) => `package/${file}`);
        expect(others).to.have.members(expected);
        expect(files.length).to.be.above({ core: 200, root: 300 }[name]);
      });

      it('has no complaint of publint', async () => {
        const tarball = new Uint8Array(readFileSync(installed.tarballs[name])).buffer;
        const { messages } = await publint({ pack: { tarball }, strict: true });
        expect(messages).to.deep.equal([]);
      });

      it('resolves the types of each of its entries for ES modules', async () => {
        const attw = join(sourceRoot, 'node_modules/.bin/attw');
        const line = ['--profile', 'esm-only', '--format', 'ascii', '--no-emoji', installed.tarballs[name]];
        // It ends with an exit code other than 0 where there is a problem.
        const { stdout } = await run(attw, line);
        const resolved = [...stdout.matchAll(/^"(.+)"\n\nnode16 \(from ESM\): OK \(ESM\)$/gm)].map(
          ([, entry]) => entry,
        );
        const entries = Object.keys(manifest().exports).map((path) => join(packageNames[name], path));
        expect(resolved).to.have.members(entries);
      });

      it('names versions of what it depends on, and neither links nor folders', () => {
        const versions = Object.values({ ...manifest().dependencies, ...manifest().optionalDependencies });
        expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).to.deep.equal([]);
        expect(manifest()).not.to.have.property('private');
      });
    });
  }

  it('are of one version, which horarium asks of the core', () => {
    const [root, core] = [sourceRoot, join(sourceRoot, 'core')].map(manifestIn);
    expect(root?.version).to.equal(core?.version);
    expect(root?.dependencies['@horarium/core']).to.equal(core?.version);
  });

  it('install the core with at most 10 packages, 4 MB and no native code', () => {
    const modules = join(installed.coreOnly, 'node_modules');
    const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')) as { packages: object };
    const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
    expect(Object.keys(packages)).to.have.length.of.at.most(10).and.include('node_modules/@horarium/core');
    expect(bytes).to.be.below(4_000_000);
    expect(files.filter(({ name }) => /\.(?:node|wasm|so)$|^binding\.gyp$/.test(name))).to.deep.equal([]);
  });

  it('bring no Node beside the one that installs them', () => {
    const lock = readFileSync(join(installed.both, 'node_modules/.package-lock.json'), 'utf8');
    const { packages } = JSON.parse(lock) as { readonly packages: object };
    const names = Object.keys(packages);
    expect(names).to.include('node_modules/horarium');
    expect(names.filter((name) => /\/node-linux-/.test(name))).to.deep.equal([]);
  });

  it('run the service outside a clone, by npx', async () => {
    const cwd = await applicationFolder();
    const { PATH = '' } = process.env;
    const options = { cwd, env: { PATH, TMPDIR: tmpdir(), HOME: cwd } };
    const horarium = (...line: readonly string[]) => run('node_modules/.bin/horarium', line, options);
    expect((await run('npx', ['--offline', 'horarium', '--version'], options)).stdout).to.equal(
      `${manifestIn(sourceRoot).version}\n`,
    );
    await horarium('migrate');
    const saved = await horarium('company:save', '--code', 'acme', '--name', 'Acme', '--format', 'json');
    expect(JSON.parse(saved.stdout)).to.include({ id: 1, code: 'acme' });
    // In a group of its own, which one signal reaches as Ctrl-C would.
    const service = spawn('npx', ['--offline', 'horarium', 'serve', '--port', '0'], { ...options, detached: true });
    try {
      let out = '';
      for await (const piece of service.stdout) {
        out += piece;
        if (/^Next: npx horarium /m.test(out)) break;
      }
      const [, url] = /^listening on (\S+)$/m.exec(out) ?? [];
      expect((await checkedFetch(`${url}/ping.json`)).status).to.equal(200);
    } finally {
      process.kill(-(service.pid as number), 'SIGINT');
      if (service.exitCode === null) await once(service, 'exit');
    }
  });

  const heavy = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//;
  for (const [entry, without] of [
    ['@horarium/core', ['restify', 'inversify', '@mikro-orm/core', 'kysely', 'horarium', 'prom-client']],
    ['horarium/http', ['restify', 'inversify', '@mikro-orm/core', 'kysely', 'better-sqlite3', 'pg', '@node-rs/argon2']],
    ['horarium/mikro-orm', ['restify', 'inversify', 'prom-client', 'better-sqlite3', 'pg']],
  ] as const)
    it(`load nothing of ${without.join(', ')} for ${entry}`, async () => {
      const program = `import { registerHooks } from 'node:module';
        const urls = [];
        registerHooks({ load(url, context, next) { urls.push(url); return next(url, context); } });
        await import('${entry}');
        console.log(JSON.stringify(urls));`;
      const line = ['--input-type=module', '--eval', program];
      const { stdout } = await run(process.execPath, line, { cwd: installed.both });
      const loaded = new Set((JSON.parse(stdout) as string[]).map((url) => heavy.exec(url)?.[1]));
      expect(loaded).to.include(entry.startsWith('@') ? entry : 'horarium');
      expect(without.filter((name) => loaded.has(name))).to.deep.equal([]);
    });

  describe('from a registry', () => {
    let registry: ListeningServer;
    let folder: string;
    before(async () => {
      registry = await openPackedRegistry(installed.tarballs);
      folder = temporaryFolder('registry');
    });
    after(() => registry.close());

    const program = async (name: string, ...line: readonly string[]) => {
      const { PATH = '' } = process.env;
      const own = { PATH: `${join(folder, 'global/bin')}:${PATH}`, TMPDIR: tmpdir(), HOME: folder };
      const env = { ...own, ...npmSettings(folder, registry.url) };
      return (await run(name, line, { cwd: folder, env })).stdout;
    };
    const version = `${manifestIn(sourceRoot).version}\n`;

    it('install the command and its manual page by npm install --global of the packed horarium', async function () {
      this.timeout(installTimeout);
      await program('npm', 'install', '--global', '--prefix', join(folder, 'global'), installed.tarballs.root);
      expect(await program('horarium', '--version')).to.equal(version);
      await program('horarium', 'migrate');
      expect(await program('horarium', 'status')).to.match(/^queue\.due +0$/m);
      expect(await program('horarium', 'summary')).to.equal('today nothing was owed; 0 running\n');
      const page = readFileSync(join(folder, 'global/share/man/man1/horarium.1'), 'utf8');
      expect(page).to.equal(readFileSync(join(sourceRoot, 'dist/man/horarium.1'), 'utf8'));
    });

    it('run by npx of the packed horarium', async function () {
      this.timeout(installTimeout);
      const line = ['--yes', '--package', installed.tarballs.root, '--', 'horarium', '--version'];
      expect(await program('npx', ...line)).to.equal(version);
    });
  });

  it('refuse a Node that is too old in one sentence, at each of their entries', async function () {
    const node = oldNode() ?? this.skip();
    const manifests = Object.values(packageNames).map((name) => manifestIn(join(installed.both, 'node_modules', name)));
    const entries = manifests.flatMap(({ name, exports }) => Object.keys(exports).map((path) => join(name, path)));
    // The service and its start, which users of npx and systemd run.
    const programs = ['bundle/main.js', 'host/horarium.js'].map((path) =>
      join(installed.both, 'node_modules/horarium/dist', path),
    );
    const sentence = /^Horarium needs Node 24 or newer; this is Node \d+\.\d+\.\d+\..*\n$/;
    const refused = await Promise.all([
      ...entries.map(async (entry) => {
        const program = `await import('${entry}').catch(({ message }) => console.log(message));`;
        const { stdout } = await run(node, ['--input-type=module', '--eval', program], { cwd: installed.both });
        return [entry, stdout] as const;
      }),
      ...programs.map(async (path) => {
        const { code, stderr } = await run(node, [path, 'status']).then(
          () => ({ code: 0, stderr: '' }),
          (error) => error,
        );
        return [path, code === 1 ? stderr : `exit code ${code}`] as const;
      }),
    ]);
    expect(refused.filter(([, text]) => !sentence.test(text))).to.deep.equal([]);
  });

  it('compile in a strict program that imports each of their entries, with the declarations of both checked', async () => {
    const folder = await applicationFolder();
    const manifests = ['@horarium/core', 'horarium'].map((name) =>
      manifestIn(join(installed.both, 'node_modules', name)),
    );
    const entries = manifests.flatMap(({ name, exports }) => Object.keys(exports).map((path) => join(name, path)));
    const program = entries.map((entry, at) => `import * as entry${at} from '${entry}';\nconsole.log(entry${at});`);
    writeFileSync(join(folder, 'program.ts'), `${program.join('\n')}\n`);
    const options = [
      '--noEmit',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--module',
      'nodenext',
      '--target',
      'es2024',
    ];
    const types = ['--lib', 'es2024,esnext', '--typeRoots', join(sourceRoot, 'node_modules/@types'), '--types', 'node'];
    const { stdout } = await run('tsc', [...options, ...types, 'program.ts'], { cwd: folder }).catch((error) => error);
    // MikroORM's own declarations have errors that TypeScript 7 finds.
    const errors = stdout
      .split('\n')
      .filter((line: string) => /^(?!.*\/node_modules\/@mikro-orm\/)\S.*error/.test(line));
    expect(errors).to.deep.equal([]);
    expect(entries).to.include.members(['@horarium/core', '@horarium/core/contracts', 'horarium/http']);
  });
});

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, object>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

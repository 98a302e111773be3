import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { sourceRoot } from '../../house/source-files.ts';
import { readEmbeddingPages } from '../docs/embedding-pages.ts';
import type { ListeningServer } from '../http/embedding-servers.ts';
import { eventually } from '../mocha/eventually.ts';
import { temporaryFolder } from '../mocha/temporary-folder.ts';
import { runFolder } from '../run/test-run.ts';
import { bundleCore } from './bundle-core.ts';
import { openCheckoutRegistry } from './checkout-registry.ts';

const run = promisify(execFile);

/** How long the installation, which packs and installs both packages, may take on a busy machine, in milliseconds. */
export const installTimeout = 600_000;

/** The packed packages, and a folder of each that they are installed in. */
export interface InstalledPackages {
  /** The files of the packages, as `npm publish` would send them. */
  readonly tarballs: { readonly core: string; readonly root: string };
  /** An application that depends on the core alone. */
  readonly coreOnly: string;
  /** An application that depends on both packages. */
  readonly both: string;
}

/**
 * Packs both packages of the checkout and installs them in empty folders, by the commands of the handbook for those
 * who embed the core. One installation serves every test file of a run, so a test writes nothing into these folders;
 * `applicationFolder` makes one that it may write to.
 */
export function installedPackages(): Promise<InstalledPackages> {
  installation ??= findOrInstall();
  return installation;
}
let installation: Promise<InstalledPackages> | undefined;

async function findOrInstall(): Promise<InstalledPackages> {
  const folder = join(runFolder() ?? temporaryFolder('run'), 'packages');
  const installed: InstalledPackages = {
    tarballs: { core: join(folder, 'core.tgz'), root: join(folder, 'root.tgz') },
    coreOnly: join(folder, 'core-only/shop'),
    both: join(folder, 'both/shop'),
  };
  const ready = join(folder, 'ready');
  try {
    // The process that creates the folder installs; those of other test files wait for it.
    mkdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    await eventually('the packages are installed', () => existsSync(ready), installTimeout);
    return installed;
  }
  await install(folder, installed);
  writeFileSync(ready, '');
  return installed;
}

/** Creates the folder of an application that depends on both packages, and which a test may write to. */
export async function applicationFolder(): Promise<string> {
  const { both } = await installedPackages();
  const folder = temporaryFolder('application');
  copyFileSync(join(both, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(both, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Opens a registry of the packed packages and of what they depend on. */
export function openPackedRegistry({ core, root }: InstalledPackages['tarballs']): Promise<ListeningServer> {
  return openCheckoutRegistry([
    { folder: join(dirname(core), 'bundle'), tarball: core },
    { folder: sourceRoot, tarball: root },
  ]);
}

/** Returns the environment in which npm installs from a registry alone, and runs no scripts of packages. @param folder of its cache. */
export function npmSettings(folder: string, registry: string): Record<string, string> {
  const settings = { cache: join(folder, 'cache'), ignore_scripts: 'true', audit: 'false', fund: 'false', registry };
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [`npm_config_${name}`, value]));
}

async function install(folder: string, { tarballs, coreOnly, both }: InstalledPackages): Promise<void> {
  const shell = async (cwd: string, lines: readonly string[], registry = '') => {
    const env = { ...process.env, ...npmSettings(folder, registry) };
    return (await run('sh', ['-ec', lines.join('\n')], { cwd, env })).stdout;
  };
  const bundle = join(folder, 'bundle');
  const pack = async (source: string, tarball: string) => {
    const packed = await shell(source, [`npm pack --json --pack-destination '${folder}'`]);
    const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
    renameSync(join(folder, filename), tarball);
  };
  await Promise.all([pack(sourceRoot, tarballs.root), bundleCore(bundle).then(() => pack(bundle, tarballs.core))]);
  const registry = await openPackedRegistry(tarballs);
  const installBy = async (application: string, ...commands: readonly string[]) => {
    const parent = dirname(application);
    mkdirSync(parent);
    await shell(parent, commands, registry.url);
  };
  try {
    const [create = '', installCore = '', ...commands] = readEmbeddingPages().commands;
    const names = commands.flatMap((command) => /^npm install (?!-)(.+)/.exec(command)?.[1] ?? []);
    await Promise.all([
      installBy(coreOnly, create, installCore),
      installBy(both, create, [installCore, ...names].join(' ')),
    ]);
  } finally {
    await registry.close();
  }
}

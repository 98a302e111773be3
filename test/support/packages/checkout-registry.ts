import { spawn } from 'node:child_process';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { sourceRoot } from '../../house/source-files.ts';
import { type ListeningServer, listen } from '../http/embedding-servers.ts';

/** The packages of the checkout, by name and version, with the folder of each. */
type Packages = ReadonlyMap<string, Map<string, string>>;

/** A package that is served as it was packed. */
export interface PackedPackage {
  /** The folder of its package.json. */
  readonly folder: string;
  readonly tarball: string;
}

/**
 * A package registry that serves what the checkout has installed, and packages of its own, so that a test installs
 * packages without a network.
 */
export async function openCheckoutRegistry(packed: readonly PackedPackage[] = []): Promise<ListeningServer> {
  const packages = new Map([...checkoutPackages(), ...packed.map(({ folder }) => packageIn(folder))]);
  const tarballs = new Map(packed.map(({ folder, tarball }) => [folder, tarball]));
  const registry: ListeningServer = await listen(
    createServer((request, response) => {
      const path = decodeURIComponent((request.url ?? '').slice(1));
      const [, name = path, version] = /^(.+)\/-\/(.+)\.tar$/.exec(path) ?? [];
      const versions = packages.get(name);
      const folder = version && versions?.get(version);
      const tarball = folder && tarballs.get(folder);
      if (tarball) createReadStream(tarball).pipe(response);
      else if (folder) sendTarball(folder, response);
      else if (versions) sendDescription(name, versions, response, registry.url);
      else {
        response.statusCode = 404;
        response.end();
      }
    }),
  );
  return registry;
}

function checkoutPackages(): Packages {
  const { packages } = JSON.parse(readFileSync(join(sourceRoot, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { readonly version?: string; readonly link?: boolean }>;
  };
  const byName = new Map<string, Map<string, string>>();
  for (const [path, { version, link }] of Object.entries(packages)) {
    const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
    if (!name || !version || link || !existsSync(join(sourceRoot, path))) continue;
    const versions = byName.get(name) ?? new Map<string, string>();
    byName.set(name, versions.set(version, join(sourceRoot, path)));
  }
  return byName;
}

/** Returns the name of the package in a folder, and the folder by its version. */
function packageIn(folder: string): [string, Map<string, string>] {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return [name, new Map([[version, folder]])];
}

function sendDescription(
  name: string,
  folders: ReadonlyMap<string, string>,
  response: ServerResponse,
  url: string,
): void {
  const versions = [...folders].map(([version, folder]) => {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as object;
    return [version, { ...manifest, dist: { tarball: `${url}/${name}/-/${version}.tar` } }] as const;
  });
  const latest = versions.at(-1)?.[0];
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify({ name, 'dist-tags': { latest }, versions: Object.fromEntries(versions) }));
}

/** What no program loads, a quarter of all files: prebuilt code of other systems, sources of native code, maps, texts, tests. */
const unused = ['./node_modules', './prebuilds/darwin*', './prebuilds/win32*', './deps', './test', '*.map', '*.md'];

/** Sends the files of a package, uncompressed, because compressing takes longer than anything else here. */
function sendTarball(folder: string, response: ServerResponse): void {
  const exclude = unused.map((pattern) => `--exclude=${pattern}`);
  const tar = spawn('tar', ['-C', folder, ...exclude, '--transform', 's,^[.],package,', '-cf', '-', '.']);
  response.setHeader('Content-Type', 'application/octet-stream');
  tar.stdout.pipe(response);
}

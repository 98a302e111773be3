import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sourceRoot } from '../../house/source-files.ts';

/** Packages of many small modules; the others are loaded from where they are installed. */
const bundled = /^(?:inversify|kysely|prom-client|@mikro-orm\/.+)$/;
/** What agents have in a program of their own, without the parts that they do not use. */
const bundledForAgents = /^(?:@horarium\/core|@nats-io\/.+|commander|yup)$/;
/** Databases and tools that MikroORM loads on demand, and which are not installed. */
const absent = ['mariadb', 'tedious', 'libsql'];

/**
 * Writes the program of the service, `dist/bundle/main.js`, in a few files: what it loads when it starts lies in 1,100 modules
 * otherwise, which costs a third of the time until it listens. The core stays apart, because plugins import it too; the program of
 * agents has what it uses of the core.
 */
export async function bundleHost(): Promise<void> {
  const manifest = JSON.parse(await readFile(join(sourceRoot, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const dependencies = Object.keys(manifest.dependencies);
  const folder = join(sourceRoot, 'dist/bundle');
  const fresh = `${folder}.${process.pid}`;
  const options = ['--bundle', '--splitting', '--format=esm', '--platform=node'];
  // V8 keeps the text of what it has loaded. Identifiers stay, and lines stay short, for the traces of errors. esbuild would
  // otherwise set the name of each function whenever it is made, which costs a request a twentieth of its time.
  const small = [
    '--minify-whitespace',
    '--minify-syntax',
    '--line-limit=120',
    '--charset=ascii',
    '--legal-comments=linked',
  ];
  // CommonJS modules call it. An older Node, which is refused, has no `getBuiltinModule`.
  const require = `--banner:js=const require = process.getBuiltinModule?.('node:module').createRequire(import.meta.url);`;
  const places = [`--outdir=${fresh}`, '--log-level=error'];
  const esbuild = join(sourceRoot, 'node_modules/.bin/esbuild');
  const bundle = (entry: string, inside: RegExp, outside: readonly string[]) => {
    const apart = [...dependencies.filter((name) => !inside.test(name)), ...absent];
    const externals = [...apart.flatMap((name) => [name, `${name}/*`]), ...outside].map((name) => `--external:${name}`);
    const command = [`dist/host/${entry}.js`, ...options, ...small, ...externals, require, ...places];
    return promisify(execFile)(esbuild, command, { cwd: sourceRoot });
  };
  await Promise.all([bundle('main', bundled, ['*/agent-main.js']), bundle('agent-main', bundledForAgents, [])]);
  // A service that starts meanwhile finds the files of one build or of the other.
  await rm(folder, { recursive: true, force: true });
  await rename(fresh, folder);
}

/** Whether the program of the service is newer than everything that it is made of. */
export function isHostBundled(): boolean {
  const changedAt = (path: string) => statSync(join(sourceRoot, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const built = ['adapters', 'host', 'plugins', 'test/support/packages'].map((folder) => `dist/${folder}`);
  const folders = [...built, 'core/dist'];
  const modules = folders.flatMap((folder) =>
    readdirSync(join(sourceRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.js'))
      .map((name) => join(folder, name)),
  );
  const parts = [...modules, 'package.json', 'node_modules/.package-lock.json'];
  return changedAt('dist/bundle/main.js') > Math.max(...parts.map(changedAt));
}

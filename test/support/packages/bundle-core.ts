import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sourceRoot } from '../../house/source-files.ts';
import { describeTypes } from './described-types.ts';

const source = join(sourceRoot, 'core');

/**
 * Writes the core into a folder as it is published: the modules of all entry points in a few files, because a program
 * loads those twice as fast as two hundred, and the types as the compiler wrote them, with
 * the descriptions of fields.
 */
export async function bundleCore(folder: string): Promise<void> {
  const { exports } = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, { readonly default: string }>>;
  };
  const entries = Object.values(exports).map((entry) => entry.default);
  const options = ['--bundle', '--splitting', '--format=esm', '--platform=node', '--packages=external'];
  const places = ['--outbase=dist', `--outdir=${join(folder, 'dist')}`, '--chunk-names=chunks/[hash]'];
  const esbuild = join(sourceRoot, 'node_modules/.bin/esbuild');
  await promisify(execFile)(esbuild, [...entries, ...options, ...places, '--log-level=warning'], { cwd: source });
  for (const file of ['package.json', 'README.md', 'LICENSE']) cpSync(join(source, file), join(folder, file));
  const isType = (path: string) => !/\.[a-z]+$/.test(path) || path.endsWith('.d.ts');
  cpSync(join(source, 'dist'), join(folder, 'dist'), { recursive: true, filter: isType });
  describeTypes(join(folder, 'dist'));
}

import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { sourceRoot } from '../../house/source-files.ts';

/**
 * Writes the pages of the console, `dist/console`: one page, its modules and styles under names that hold a hash of their
 * content, and each of them compressed, so that the service compresses nothing.
 */
export async function bundleConsole(): Promise<void> {
  const source = join(sourceRoot, 'plugins/console/web');
  const folder = join(sourceRoot, 'dist/console');
  const fresh = `${folder}.${process.pid}`;
  await mkdir(fresh, { recursive: true });
  const options = ['--bundle', '--splitting', '--format=esm', '--minify', '--target=es2024', '--charset=utf8'];
  const jsx = ['--jsx=automatic', '--jsx-import-source=preact'];
  const names = ['--entry-names=[name]-[hash]', '--chunk-names=[name]-[hash]', '--legal-comments=linked'];
  const esbuild = join(sourceRoot, 'node_modules/.bin/esbuild');
  await promisify(execFile)(
    esbuild,
    [
      join(source, 'main.tsx'),
      join(source, 'style/main.css'),
      ...options,
      ...jsx,
      ...names,
      `--outdir=${fresh}`,
      '--log-level=error',
    ],
    { cwd: sourceRoot },
  );
  const files = await readdir(fresh);
  const page = await readFile(join(source, 'index.html'), 'utf8');
  const hashed = (name: string, ending: string) => files.find((file) => file.startsWith(name) && file.endsWith(ending));
  const linked = page
    .replace('main.js', hashed('main-', '.js') ?? '')
    .replace('main.css', hashed('main-', '.css') ?? '');
  await writeFile(join(fresh, 'index.html'), linked);
  await cp(join(source, 'icon.svg'), join(fresh, 'icon.svg'));
  for (const file of await readdir(fresh)) await compress(join(fresh, file));
  // A service that starts meanwhile finds the files of one build or of the other.
  await rm(folder, { recursive: true, force: true });
  await rename(fresh, folder);
}

async function compress(file: string): Promise<void> {
  const content = await readFile(file);
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  await writeFile(`${file}.br`, await promisify(brotliCompress)(content, quality));
  await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
}

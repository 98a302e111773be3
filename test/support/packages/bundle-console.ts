import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { sourceRoot } from '../../house/source-files.ts';

const source = 'plugins/console/web';
/** What the page loads by itself, as it names them, and the modules that these import are loaded beside them. */
const entries = ['words/language.ts', 'main.tsx', 'style/main.css'];

/** A file that esbuild has written, as it describes it. */
interface Output {
  readonly entryPoint?: string;
  /** How many bytes of it come from each source file, by its path. */
  readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>;
  readonly imports: readonly { readonly path: string; readonly kind: string }[];
}

/** The modules and styles of the console, as they lie in a folder. */
export interface ConsoleBundle {
  /** By the names of the files. */
  readonly outputs: ReadonlyMap<string, Output>;
  /** What a page loads before it shows something, but for the words of its language. */
  readonly first: readonly string[];
}

/**
 * Writes the pages of the console, `dist/console`: one page, its modules and styles under names that hold a hash of their
 * content, and each of them compressed, so that the service compresses nothing.
 */
export async function bundleConsole(): Promise<void> {
  const folder = join(sourceRoot, 'dist/console');
  const fresh = `${folder}.${process.pid}`;
  const { outputs, first } = await writeConsoleModules(fresh);
  const page = await readFile(join(sourceRoot, source, 'index.html'), 'utf8');
  await writeFile(join(fresh, 'index.html'), linked(page, outputs, first));
  await cp(join(sourceRoot, source, 'icon.svg'), join(fresh, 'icon.svg'));
  for (const file of await readdir(fresh)) await compress(join(fresh, file));
  // A service that starts meanwhile finds the files of one build or of the other.
  await rm(folder, { recursive: true, force: true });
  await rename(fresh, folder);
}

/** Writes the modules and styles into a new folder. */
export async function writeConsoleModules(folder: string): Promise<ConsoleBundle> {
  await mkdir(folder, { recursive: true });
  const metafile = join(folder, 'meta.json');
  const options = ['--bundle', '--splitting', '--format=esm', '--minify', '--target=es2024', '--charset=utf8'];
  const jsx = ['--jsx=automatic', '--jsx-import-source=preact'];
  const names = ['--entry-names=[name]-[hash]', '--chunk-names=[name]-[hash]', '--legal-comments=linked'];
  const places = [`--outdir=${folder}`, `--metafile=${metafile}`, '--log-level=error'];
  const esbuild = join(sourceRoot, 'node_modules/.bin/esbuild');
  const sources = entries.map((entry) => join(source, entry));
  await promisify(execFile)(esbuild, [...sources, ...options, ...jsx, ...names, ...places], { cwd: sourceRoot });
  const meta = JSON.parse(await readFile(metafile, 'utf8')) as { readonly outputs: Readonly<Record<string, Output>> };
  await rm(metafile);
  const outputs = new Map(Object.entries(meta.outputs).map(([path, output]) => [basename(path), output]));
  for (const [file, { entryPoint, inputs }] of outputs) {
    // An entry without sources only exports what another file has, for programs that import the entry by its name.
    if (entryPoint === undefined || Object.keys(inputs).length > 0) continue;
    outputs.delete(file);
    await rm(join(folder, file));
  }
  const first = new Set(entries.map((entry) => fileOf(entry, outputs)));
  // A set that grows while it is read also has what was added: the imports of imports.
  for (const name of first)
    for (const { path, kind } of outputs.get(name)?.imports ?? [])
      if (kind === 'import-statement') first.add(basename(path));
  return { outputs, first: [...first] };
}

/** Returns the file that has a source file in it: an entry that others import too is in a file that all of them import. */
function fileOf(entry: string, outputs: ConsoleBundle['outputs']): string {
  const found = [...outputs].find(([, { inputs }]) => Object.keys(inputs).includes(join(source, entry)));
  if (!found) throw new Error(`The console has no ${entry}.`);
  return found[0];
}

/** Links a page to its files. The browser learns of all at once, not of each one from the one that imports it. */
function linked(page: string, outputs: ConsoleBundle['outputs'], first: readonly string[]): string {
  const files = entries.map((entry) => [entry, fileOf(entry, outputs)] as const);
  const named = new Set(files.map(([, file]) => file));
  const preloads = first
    .filter((file) => !named.has(file))
    .map((file) => `    <link rel="modulepreload" href="${file}">\n`);
  const withFiles = files.reduce((text, [entry, file]) => text.replace(`"${entry}"`, `"${file}"`), page);
  return withFiles.replace('  </head>', () => `${preloads.join('')}  </head>`);
}

async function compress(file: string): Promise<void> {
  const content = await readFile(file);
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  await writeFile(`${file}.br`, await promisify(brotliCompress)(content, quality));
  await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
}

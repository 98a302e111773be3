import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** The folder that holds the sources; tests run from `dist/test/house`. */
export const sourceRoot = resolve(import.meta.dirname, '../../..');

/** One source file and what it imports. */
export interface SourceFile {
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly text: string;
  /** Packages as their names, files as their paths relative to the root. */
  readonly imports: readonly string[];
}

const folders = ['core', 'adapters', 'plugins', 'host', 'test'];
// `import … from 'x'`, `export … from 'x'`, `import 'x'`, `import('x')` and `import x = require('x')`.
const specifier = /(?:^|[\s;}])(?:from|import|require)\s*\(?\s*['"]([^'"\n]+)['"]/g;

export function sourceFiles(): SourceFile[] {
  return folders.flatMap((folder) => walk(join(sourceRoot, folder))).map(read);
}

function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'dist' || entry.name === 'node_modules') return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return walk(path);
    return /\.(ts|tsx|mts|cts)$/.test(entry.name) ? [path] : [];
  });
}

function read(file: string): SourceFile {
  const text = readFileSync(file, 'utf8');
  const files = (source: string) => importsOf(source).map((name) => resolved(file, name));
  return { path: relative(sourceRoot, file), text, imports: files(text) };
}

/** The specifiers of a source text; comments do not count. */
export function importsOf(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  return [...code.matchAll(specifier)].map(([, name]) => name as string);
}

function resolved(file: string, name: string): string {
  return name.startsWith('.') ? relative(sourceRoot, join(dirname(file), name)) : name;
}

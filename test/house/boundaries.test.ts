import { dirname } from 'node:path';
import { expect } from 'chai';
import { coreLayers } from './core-layers.ts';
import { importsOf, type SourceFile, sourceFiles } from './source-files.ts';

/** What each folder may import; for a folder within another, its own rule counts. A name that ends in `/` or `:` stands for every name that begins with it. */
const allowedImports: Readonly<Record<string, readonly string[]>> = {
  'core/': ['core/', 'yup', 'croner', 'temporal-polyfill'],
  'core/node/': ['core/', 'node:crypto', 'node:fs', 'node:os', 'node:path', 'node:util'],
  'adapters/http/': [
    'adapters/http/',
    '@horarium/core',
    'node:',
    'prom-client',
    'content-disposition',
    'cookie',
    'ipaddr.js',
    'mime',
    'mime/lite',
    'negotiator',
  ],
  'adapters/node-http/': ['adapters/node-http/', 'adapters/http/', '@horarium/core', 'node:', 'find-my-way'],
  'adapters/restify/': [
    'adapters/restify/',
    'adapters/node-http/',
    'adapters/http/',
    '@horarium/core',
    'node:',
    'restify',
  ],
  'adapters/mikro-orm/': [
    'adapters/mikro-orm/',
    '@horarium/core',
    '@horarium/core/store',
    'node:',
    '@mikro-orm/',
    'kysely',
    'better-sqlite3',
    'pg',
    'postgres-date',
  ],
  'adapters/node/': ['adapters/node/', '@horarium/core', 'node:module', '@node-rs/argon2', 're2js'],
  'plugins/': [
    'plugins/',
    '@horarium/core/plugin',
    'node:',
    'yup',
    're2js',
    'csv-stringify/sync',
    'diff',
    'yaml',
    'mime',
    'eta',
    'fast-xml-parser',
    'better-sqlite3',
    'mysql2',
    '@nats-io/',
    'pg',
    'undici',
    'ipaddr.js',
    'nodemailer',
    'marked',
    'minisearch',
    'github-slugger',
    'node-ical',
    'rrule-temporal',
    'date-holidays',
    'cronstrue',
    'cronstrue/',
  ],
  'plugins/fleet-nats/': [
    'plugins/',
    '@horarium/core/node',
    '@horarium/core/plugin',
    'node:',
    'yup',
    '@nats-io/jetstream',
    '@nats-io/jwt',
    '@nats-io/nkeys',
    '@nats-io/transport-node',
  ],
  // What runs in browsers is a program of its own.
  'plugins/console/web/': ['plugins/console/web/', 'preact', 'preact/hooks', '@preact/signals', 'uplot', 'diff'],
};

describe('The import rules', () => {
  const files = sourceFiles();

  it('see every form of import in every source file', () => {
    const text = `import a from 'a';\nexport * from './b.ts';\nimport 'c';\nconst d = await import('d');
      import {\n  e,\n} from "e";\n// from 'not'\n/* import 'neither' */ import type { F } from 'f';`;
    expect(importsOf(text)).to.deep.equal(['a', './b.ts', 'c', 'd', 'e', 'f']);
    expect(files.length).to.be.greaterThan(50);
  });

  for (const [folder, allowed] of Object.entries(allowedImports)) {
    it(`let ${folder} import only ${allowed.join(', ')}`, () => {
      const isAllowed = (name: string) => allowed.some((pattern) => matches(name, pattern));
      const ownFiles = under(folder).filter(({ path }) => ruleOf(path) === folder);
      expect(forbiddenImports(ownFiles, (name) => !isAllowed(name))).to.deep.equal([]);
    });
  }

  it('keep the command line from importing the HTTP channel', () => {
    const commandLine = files.filter((file) => /^host\/(cli|commands)\//.test(file.path));
    expect(forbiddenImports(commandLine, (name) => /^adapters\/(http|restify)\//.test(name))).to.deep.equal([]);
  });

  it('let plugins import of each other only the folders that hold no plugin', () => {
    const folderOf = (path: string) => path.split('/')[1];
    const plugins = under('plugins/').filter(({ path }) => path.endsWith('/plugin.ts'));
    const folders = new Set(plugins.map(({ path }) => folderOf(path)));
    const isOtherPlugin = (name: string, file: SourceFile) =>
      name.startsWith('plugins/') && folders.has(folderOf(name)) && folderOf(name) !== folderOf(file.path);
    expect(forbiddenImports(under('plugins/'), isOtherPlugin)).to.deep.equal([]);
  });

  it('keep Inversify and the environment in host', () => {
    const outside = files.filter((file) => !/^(host|test)\//.test(file.path));
    const inversify = outside.filter((file) => file.imports.some((name) => name.startsWith('inversify')));
    const environment = outside.filter((file) => /\bprocess\.env\b/.test(file.text));
    expect([...inversify, ...environment].map((file) => file.path)).to.deep.equal([]);
  });

  it('give each process that is started an environment of its own, except the service itself', () => {
    const starting = files.filter(
      ({ path, imports }) => imports.some((name) => /^(node:)?child_process$/.test(name)) && !path.startsWith('test/'),
    );
    const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
    const inheriting = starting.filter(
      ({ text }) =>
        count(text, /\b(?:spawn|exec|execFile|fork)(?:Sync)?\(/g) !== count(text, /\benv: (?!process\.env\b)/g),
    );
    // Where Node is too old, this file starts the service with one that is installed beside it.
    expect(inheriting.map((file) => file.path)).to.deep.equal(['host/horarium.ts']);
  });

  it('let each layer of the core import only itself and the layers below it', () => {
    const isHigher = (name: string, file: SourceFile) =>
      name.startsWith('core/') && (layerOf(name) < 0 || layerOf(name) > layerOf(file.path));
    const layered = under('core/').filter((file) => layerOf(file.path) >= 0);
    expect(forbiddenImports(layered, isHigher)).to.deep.equal([]);
    const unlisted = files.filter((file) => /^core\/.*\//.test(file.path) && layerOf(file.path) < 0);
    expect(unlisted.map((file) => file.path)).to.deep.equal([]);
  });

  it('allow no circular imports', () => {
    expect(importCycles(files)).to.deep.equal([]);
  });

  function under(folder: string): SourceFile[] {
    return files.filter((file) => file.path.startsWith(folder));
  }
});

describe('The source tree', () => {
  const files = sourceFiles().filter((file) => !file.path.includes('/migrations/'));

  it('has no file of more than 400 lines, except the words of a language, which are one file', () => {
    const long = files
      .filter((file) => !file.path.startsWith('plugins/console/web/words/'))
      .map((file) => ({ path: file.path, lines: file.text.split('\n').length - 1 }))
      .filter((file) => file.lines > 400);
    expect(long).to.deep.equal([]);
  });

  it('has no folder of more than 16 files outside the tests', () => {
    const counts = new Map<string, number>();
    for (const { path } of files.filter((file) => !file.path.startsWith('test/')))
      counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > 16)).to.deep.equal([]);
  });
});

function matches(name: string, pattern: string): boolean {
  return name === pattern || (/[/:]$/.test(pattern) && name.startsWith(pattern));
}

/** Returns the innermost folder with a rule that holds the file. */
function ruleOf(path: string): string | undefined {
  const folders = Object.keys(allowedImports).filter((folder) => path.startsWith(folder));
  return folders.sort((one, other) => one.length - other.length).at(-1);
}

/** Lists the imports that a rule forbids, each as `core/x.ts imports core/y.ts`. */
function forbiddenImports(
  files: readonly SourceFile[],
  isForbidden: (name: string, file: SourceFile) => boolean,
): string[] {
  return files.flatMap((file) =>
    file.imports.filter((name) => isForbidden(name, file)).map((name) => `${file.path} imports ${name}`),
  );
}

/** Returns the position of a file of the core in `coreLayers`; -1 for one that is in no layer. */
function layerOf(path: string): number {
  const [, name = ''] = path.split('/');
  const layer = coreLayers.indexOf(name);
  return layer < 0 && name.endsWith('.ts') && name !== 'index.ts' ? coreLayers.indexOf('core.ts') : layer;
}

/** Finds every cycle of imports, of types too, as the chain of its files. */
function importCycles(files: readonly SourceFile[]): string[] {
  const imports = new Map(files.map((file) => [file.path, file.imports]));
  const visited = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, chain: readonly string[]): void => {
    const start = chain.indexOf(path);
    if (start >= 0) cycles.push([...chain.slice(start), path].join(' → '));
    if (start >= 0 || visited.has(path)) return;
    for (const name of imports.get(path) ?? []) visit(name, [...chain, path]);
    visited.add(path);
  };
  for (const file of files) visit(file.path, []);
  return cycles;
}

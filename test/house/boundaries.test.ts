import { dirname } from 'node:path';
import { expect } from 'chai';
import { importsOf, type SourceFile, sourceFiles } from './source-files.ts';

/** Who may know whom. A name ending in `/` stands for all that begins with it; `node:` for what Node brings. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'core/': ['core/', 'yup', 'croner', 'temporal-polyfill'],
  'adapters/http/': ['adapters/http/', '@horarium/core', 'node:', 'prom-client', 'content-disposition', 'ipaddr.js'],
  'adapters/restify/': ['adapters/restify/', 'adapters/http/', '@horarium/core', 'node:', 'restify'],
  'adapters/mikro-orm/': [
    'adapters/mikro-orm/',
    '@horarium/core',
    '@horarium/core/store',
    'node:',
    '@mikro-orm/',
    'kysely',
    'better-sqlite3',
    'pg',
  ],
  'adapters/node/': ['adapters/node/', '@horarium/core', 'node:', '@node-rs/argon2', 're2js'],
  'plugins/': [
    'plugins/',
    '@horarium/core/plugin',
    'node:',
    'yup',
    're2js',
    'csv-stringify/sync',
    'yaml',
    'mime',
    'eta',
    'fast-xml-parser',
    'better-sqlite3',
    'pg',
  ],
};

/**
 * The layers of the core from the ground up: each imports only itself and those before it. The other loose files of the
 * core are one layer with `core.ts`, except its index, which exports from all of them.
 */
const layers = [
  'node-version.ts',
  'errors.ts',
  'loop',
  'registry',
  'time',
  'field',
  'store',
  'secret',
  'resource',
  'audit',
  'records',
  'app',
  'credential',
  'company',
  'user',
  'executor',
  'template',
  'task',
  'job',
  'attempt',
  'scheduler',
  'worker',
  'external',
  'event',
  'core.ts',
  'plugin',
  'contracts',
];

describe('The house', () => {
  const files = sourceFiles();

  it('is read whole: imports of every form are seen', () => {
    const text = `import a from 'a';\nexport * from './b.ts';\nimport 'c';\nconst d = await import('d');
      import {\n  e,\n} from "e";\n// from 'not'\n/* import 'neither' */ import type { F } from 'f';`;
    expect(importsOf(text)).to.deep.equal(['a', './b.ts', 'c', 'd', 'e', 'f']);
    expect(files.length).to.be.greaterThan(50);
  });

  for (const [folder, known] of Object.entries(allowed)) {
    it(`lets ${folder} know ${known.join(', ')} and nothing else`, () => {
      const wrong = files
        .filter((file) => file.path.startsWith(folder))
        .flatMap((file) => file.imports.filter((name) => !known.some((each) => matches(name, each))).map(says(file)));
      expect(wrong).to.deep.equal([]);
    });
  }

  it('lets the command line know no other channel', () => {
    const wrong = files
      .filter((file) => /^host\/(cli|commands)\//.test(file.path))
      .flatMap((file) => file.imports.filter((name) => /^adapters\/(http|restify)\//.test(name)).map(says(file)));
    expect(wrong).to.deep.equal([]);
  });

  it('lets no plugin know another', () => {
    const pluginOf = (path: string) => path.split('/')[1];
    const wrong = files
      .filter((file) => file.path.startsWith('plugins/'))
      .flatMap((file) =>
        file.imports
          .filter((name) => name.startsWith('plugins/') && pluginOf(name) !== pluginOf(file.path))
          .map(says(file)),
      );
    expect(wrong).to.deep.equal([]);
  });

  it('keeps the command line from knowing the HTTP channel', () => {
    const commandLine = files.filter((file) => /^host\/(?:cli|commands)\//.test(file.path));
    const knowing = commandLine.filter((file) => file.imports.some((name) => name.startsWith('adapters/http/')));
    expect(knowing.map((file) => file.path)).to.deep.equal([]);
  });

  it('keeps Inversify and the environment in host', () => {
    const outside = files.filter((file) => !/^(host|test)\//.test(file.path));
    const inversify = outside.filter((file) => file.imports.some((name) => name.startsWith('inversify')));
    const environment = outside.filter((file) => /\bprocess\.env\b/.test(file.text));
    expect([...inversify, ...environment].map((file) => file.path)).to.deep.equal([]);
  });

  it('builds the core from the ground up', () => {
    const roomOf = (path: string) => {
      const [, name = ''] = path.split('/');
      const at = layers.indexOf(name);
      return at < 0 && name.endsWith('.ts') && name !== 'index.ts' ? layers.indexOf('core.ts') : at;
    };
    const core = files.filter((file) => file.path.startsWith('core/') && roomOf(file.path) >= 0);
    const wrong = core.flatMap((file) =>
      file.imports
        .filter((name) => name.startsWith('core/') && !(roomOf(name) >= 0 && roomOf(name) <= roomOf(file.path)))
        .map(says(file)),
    );
    expect(wrong).to.deep.equal([]);
    const strangers = files.filter((file) => /^core\/.*\//.test(file.path) && roomOf(file.path) < 0);
    expect(strangers.map((file) => file.path)).to.deep.equal([]);
  });

  it('has no circles of imports', () => {
    expect(circles(files)).to.deep.equal([]);
  });

  it('keeps every file within 400 lines', () => {
    const long = files
      .filter((file) => !file.path.includes('/migrations/'))
      .map((file) => ({ path: file.path, lines: file.text.split('\n').length - 1 }))
      .filter((file) => file.lines > 400);
    expect(long).to.deep.equal([]);
  });

  it('keeps every folder of the source within 16 files', () => {
    const counts = new Map<string, number>();
    for (const { path } of files.filter(
      (file) => !file.path.startsWith('test/') && !file.path.includes('/migrations/'),
    ))
      counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > 16)).to.deep.equal([]);
  });
});

function matches(name: string, pattern: string): boolean {
  return name === pattern || (/[/:]$/.test(pattern) && name.startsWith(pattern));
}

function says(file: SourceFile): (name: string) => string {
  return (name) => `${file.path} imports ${name}`;
}

/** Every chain of imports, of types too, that comes back to where it began. */
function circles(files: readonly SourceFile[]): string[] {
  const imports = new Map(files.map((file) => [file.path, file.imports]));
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) found.push([...trail.slice(start), path].join(' → '));
    if (start >= 0 || done.has(path)) return;
    for (const name of imports.get(path) ?? []) visit(name, [...trail, path]);
    done.add(path);
  };
  for (const file of files) visit(file.path, []);
  return found;
}

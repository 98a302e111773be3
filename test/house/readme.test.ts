import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { marked } from 'marked';
import { documentPaths, readDocument } from '../support/docs/documents.ts';
import { readEmbeddingPages } from '../support/docs/embedding-pages.ts';
import { linksIn } from '../support/docs/links.ts';
import { coreLayers } from './core-layers.ts';
import { sourceFiles, sourceRoot } from './source-files.ts';

const readme = readDocument('README.md');
const manifest = (folder = '.') => JSON.parse(readDocument(`${folder}/package.json`));

describe('The README', () => {
  it('has at most 300 lines', () => {
    expect(readme.split('\n').length).to.be.at.most(300);
  });

  it('links to nothing that is not there', () => {
    const links = linksIn(marked.lexer(readme)).map(({ href }) => href);
    const files = links.filter((href) => !/^(?:https?:|#)/.test(href)).map((href) => href.replace(/#.*/, ''));
    expect(files.length).to.be.greaterThan(20);
    expect(files.filter((path) => !existsSync(join(sourceRoot, path)))).to.deep.equal([]);
  });

  it('names the Node that comes with a checkout, and the one that programs need', () => {
    const { engines } = manifest();
    const { optionalDependencies } = manifest('test/support/checkout');
    const [, needed] = /^>=(\d+)$/.exec(engines.node) ?? [];
    const bundled = Object.values<string>(optionalDependencies).map((version) => version.split('.')[0]);
    expect(new Set(bundled)).to.deep.equal(new Set([/brings the Node (\d+)/.exec(readme)?.[1]]));
    const machines = /On Linux \((\w+) or (\w+)\)/
      .exec(readme)
      ?.slice(1)
      .map((name) => `node-linux-${name}`);
    expect(Object.keys(optionalDependencies)).to.have.members(machines ?? []);
    const places = [readme, readDocument('core/README.md'), readEmbeddingPages().text].flatMap((text) => [
      ...text.matchAll(/needs? Node (\d+)/g),
    ]);
    expect(places).to.have.length.above(2);
    expect(new Set(places.map(([, version]) => version))).to.deep.equal(new Set([needed]));
  });
});

describe('The pages for contributors', () => {
  const layout = readDocument('plugins/docs/handbook/contribute/source-layout.md');

  it('map every folder of the core in the order of the layers', () => {
    const [map = ''] = /^core\/ .*(?:\n {2}.*)*/m.exec(layout) ?? [];
    const mapped = [...map.matchAll(/^ {2}((?:[\w-]+\/ )+)/gm)].flatMap(([, names = '']) => names.trim().split(' '));
    const folders = readdirSync(join(sourceRoot, 'core'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !['dist', 'node_modules'].includes(entry.name))
      .map(({ name }) => `${name}/`);
    expect(mapped).to.have.members(folders);
    expect(mapped).to.deep.equal(coreLayers.filter((layer) => !layer.endsWith('.ts')).map((layer) => `${layer}/`));
  });

  it('name only files and folders of the source that exist, as all documents do', () => {
    const named = documentPaths().flatMap((path) =>
      [...readDocument(path).matchAll(/`((?:core|adapters|plugins|host|test)\/[\w./-]+)`/g)].map(([, name]) => name),
    );
    expect(named.length).to.be.greaterThan(30);
    expect(named.filter((path) => !existsSync(join(sourceRoot, path as string)))).to.deep.equal([]);
  });

  it('say which parts of a store are MikroORM’s and which are Kysely’s', () => {
    const storeFiles = sourceFiles().filter(({ path }) => path.startsWith('adapters/mikro-orm/'));
    const foldersOf = (name: string) =>
      new Set(storeFiles.filter(({ imports }) => imports.includes(name)).map(({ path }) => path.split('/')[2]));
    expect([...foldersOf('kysely')]).to.include.members(['statements', 'dialects', 'orm']);
    expect([...foldersOf('@mikro-orm/migrations')]).to.include.members(['schema', 'orm']);
    expect(storeFiles.filter(({ text }) => /'(select|insert|update|delete) [^']*\$\{/.test(text))).to.deep.equal([]);
    expect(readDocument('plugins/docs/handbook/contribute/decisions-store.md').replace(/\s+/g, ' '))
      .to.include('MikroORM holds the schema, and begins and ends the transactions')
      .and.include('the Kysely that it brings compiles the statements');
  });
});

describe('The pages for those who embed the core', () => {
  const { text, programs, commands } = readEmbeddingPages();

  it('show nothing but programs that tests run, and commands', () => {
    const files = sourceFiles()
      .filter(({ path }) => /^test\/e2e\/.*\.test\.ts$/.test(path))
      .map((file) => file.text);
    const isRun = (path: string) =>
      files.some((file) => file.includes(`startExample('${path.replace('test/examples/', '')}'`));
    expect(programs).to.have.length(6);
    expect(programs.filter((path) => !isRun(path))).to.deep.equal([]);
    const languages = [...text.matchAll(/^```(\w+)$/gm)].map(([, language]) => language);
    expect(languages.filter((language) => language === 'ts')).to.have.length(programs.length);
    expect(new Set(languages)).to.deep.equal(new Set(['ts', 'console']));
    // The file that the reader saves a program as is the one that a command, or the text, has Node run.
    const named = new Set(text.match(/(?<=node )[\w-]+\.ts/g));
    const saved = programs.map((path) => basename(path));
    for (const name of saved) expect(text).to.include(`as \`${name}\``);
    expect([...named].filter((name) => !saved.includes(name))).to.deep.equal([]);
    expect(commands.length).to.be.greaterThan(5);
  });

  it('have their reader install the version of MikroORM that the package depends on', () => {
    const versions = [...text.matchAll(/(@mikro-orm\/\w+)@([\d.]+)/g)].map(([, name, version]) => [name, version]);
    expect(versions).to.deep.equal([['@mikro-orm/sqlite', manifest().dependencies['@mikro-orm/sqlite']]]);
  });
});

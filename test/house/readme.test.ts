import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { buildProgram } from '../../host/cli/all-commands.ts';
import type { Io } from '../../host/cli/io.ts';
import { loadPluginProgram } from '../../host/commands/plugin-commands.ts';
import { secretSettings } from '../../host/config/secret-files.ts';
import { fileVariableOf, variableOf } from '../../host/config/setting.ts';
import { settings } from '../../host/config/settings.ts';
import { invocationVariable } from '../../plugins/process/sandbox/process-table.ts';
import { TestCli } from '../support/program/test-cli.ts';
import { readEmbeddingChapter, withPrograms } from '../support/tools/readme-programs.ts';
import { coreLayers } from './core-layers.ts';
import { sourceFiles, sourceRoot } from './source-files.ts';

const read = (path: string) => readFileSync(join(sourceRoot, path), 'utf8');

describe('The README', () => {
  const readme = read('README.md');

  it('maps every folder of the core in the order of the layers', () => {
    const [map = ''] = /^ {4}core\/ .*(?:\n {6}.*)*/m.exec(readme) ?? [];
    const mapped = [...map.matchAll(/^ {6}((?:[\w-]+\/ )+)/gm)].flatMap(([, names = '']) => names.trim().split(' '));
    const folders = readdirSync(join(sourceRoot, 'core'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !['dist', 'node_modules'].includes(entry.name))
      .map(({ name }) => `${name}/`);
    expect(mapped).to.have.members(folders);
    expect(mapped).to.deep.equal(coreLayers.filter((layer) => !layer.endsWith('.ts')).map((layer) => `${layer}/`));
  });

  it('names only files and folders that exist', () => {
    const named = [...readme.matchAll(/`((?:core|adapters|plugins|host|test)\/[\w./-]+)`/g)].map(([, path]) => path);
    const missing = named.filter((path) => !existsSync(join(sourceRoot, path as string)));
    expect(named.length).to.be.greaterThan(10);
    expect(missing).to.deep.equal([]);
  });

  it('shows only commands and options that the program has', async () => {
    const machine = { cores: 1, timezone: 'UTC', terminal: false };
    const io = { arguments: [], environment: {}, folder: sourceRoot, machine } as unknown as Io;
    const open = () => Promise.reject(new Error('no store'));
    const { commands } = buildProgram({ io, open }, await loadPluginProgram(io));
    const shown = [...readme.matchAll(/(?:\$ |`)horarium ([a-z]+(?:_[a-z]+)*(?::[a-z]+)?)\b([^`\n]*)/g)];
    const unknown = shown.flatMap(([line, name, rest = '']) => {
      const command = commands.find((candidate) => candidate.name() === name);
      const options = [...rest.matchAll(/ (--[a-z-]+)/g)].map(([, option]) => option);
      const isKnown = options.every(
        (option) => option === '--help' || command?.options.some(({ long }) => long === option),
      );
      return command && isKnown ? [] : [line];
    });
    expect(shown.length).to.be.greaterThan(15);
    expect(unknown).to.deep.equal([]);
  });

  it('names only settings and options of plugins that exist', async () => {
    const files = secretSettings.map(({ name }) => fileVariableOf(name));
    const known = ['HORARIUM_CONFIG', invocationVariable, ...settings.map(({ name }) => variableOf(name)), ...files];
    const unknown = [...readme.matchAll(/HORARIUM_(?!TEST_)[A-Z_]+/g)].filter(([name]) => !known.includes(name));
    expect(unknown.map(([name]) => name)).to.deep.equal([]);
    const examples = [...readme.matchAll(/HORARIUM_PLUGIN_OPTIONS='([^']+)'/g)];
    using cli = new TestCli();
    for (const [, HORARIUM_PLUGIN_OPTIONS = ''] of examples) {
      const { err } = await cli.command('plugin:list', { environment: { HORARIUM_PLUGIN_OPTIONS } });
      expect([HORARIUM_PLUGIN_OPTIONS, err]).to.deep.equal([HORARIUM_PLUGIN_OPTIONS, '']);
    }
    expect(examples).to.have.length.above(1);
  });

  it('says which parts of a store are MikroORM’s and which are Kysely’s', () => {
    const storeFiles = sourceFiles().filter(({ path }) => path.startsWith('adapters/mikro-orm/'));
    const foldersOf = (name: string) =>
      new Set(storeFiles.filter(({ imports }) => imports.includes(name)).map(({ path }) => path.split('/')[2]));
    expect([...foldersOf('kysely')]).to.include.members(['statements', 'dialects', 'orm']);
    expect([...foldersOf('@mikro-orm/migrations')]).to.include.members(['schema', 'orm']);
    expect(storeFiles.filter(({ text }) => /'(select|insert|update|delete) [^']*\$\{/.test(text))).to.deep.equal([]);
    expect(readme.replace(/\s+/g, ' '))
      .to.include('MikroORM holds the schema, and begins and ends the transactions')
      .and.include('the Kysely that it brings compiles the statements');
  });

  it('holds the example programs as they are, as that of the core does (npm run readme updates both)', () => {
    for (const path of ['README.md', 'core/README.md']) {
      const markdown = read(path);
      expect(markdown.match(/<!-- program /g), path).to.have.length.of.at.least(1);
      expect(withPrograms(markdown)).to.equal(markdown);
    }
  });

  it('shows those who embed the core nothing but programs that tests run, and commands', () => {
    const { text, programs, commands } = readEmbeddingChapter();
    const files = sourceFiles()
      .filter(({ path }) => /^test\/e2e\/.*\.test\.ts$/.test(path))
      .map((file) => file.text);
    const isRun = (path: string) =>
      files.some((file) => file.includes(`startExample('${path.replace('test/examples/', '')}'`));
    expect(programs).to.have.length(6);
    expect(programs.filter((path) => !isRun(path))).to.deep.equal([]);
    const fences = text.match(/^ *(?:```|~~~)/gm) ?? [];
    expect(fences).to.have.length(2 * programs.length);
    const indented = text.replace(/^```ts\n.*?^```$/gms, '').match(/^\n(?: {4}.*\n)+/gm) ?? [];
    expect(indented.filter((block) => !block.startsWith('\n    $ '))).to.deep.equal([]);
    // The file that the reader saves a program as is the one that a command, or the text, has Node run.
    const named = new Set(text.match(/(?<=node )[\w-]+\.ts/g));
    const saved = programs.map((path) => basename(path));
    for (const name of saved) expect(text).to.include(`as \`${name}\``);
    expect([...named].filter((name) => !saved.includes(name))).to.deep.equal([]);
    expect(commands.length).to.be.greaterThan(5);
  });

  it('has those who embed the core install the version of MikroORM that the package depends on', () => {
    const { dependencies } = JSON.parse(read('package.json'));
    const versions = [...readEmbeddingChapter().text.matchAll(/(@mikro-orm\/\w+)@([\d.]+)/g)];
    expect(versions.map(([, name, version]) => [name, version])).to.deep.equal([
      ['@mikro-orm/sqlite', dependencies['@mikro-orm/sqlite']],
    ]);
  });

  it('names the Node that comes with the package, and the one that programs need', () => {
    const { engines, optionalDependencies } = JSON.parse(read('package.json'));
    const [, needed] = /^>=(\d+)$/.exec(engines.node) ?? [];
    const bundled = Object.values<string>(optionalDependencies).map((version) => version.split('.')[0]);
    expect(new Set(bundled)).to.deep.equal(new Set([/brings the Node (\d+)/.exec(readme)?.[1]]));
    const machines = /On Linux \((\w+) or (\w+)\)/
      .exec(readme)
      ?.slice(1)
      .map((name) => `node-linux-${name}`);
    expect(Object.keys(optionalDependencies)).to.have.members(machines ?? []);
    const places = [readme, read('core/README.md')].flatMap((text) => [...text.matchAll(/needs? Node (\d+)/g)]);
    expect(places.map(([, version]) => version)).to.deep.equal([needed, needed, needed]);
  });
});

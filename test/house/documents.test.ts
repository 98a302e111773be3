import { noticeValueNames } from '@horarium/core/plugin';
import { expect } from 'chai';
import { secretSettings } from '../../host/config/secret-files.ts';
import { fileVariableOf, variableOf } from '../../host/config/setting.ts';
import { settings } from '../../host/config/settings.ts';
import { documentPaths, readDocument, upToDate } from '../support/docs/documents.ts';
import { helpProgram } from '../support/docs/help-program.ts';
import { TestCli } from '../support/program/test-cli.ts';
import { sourceFiles } from './source-files.ts';

/** The commands of the example plugins of the handbook. */
const exampleCommands = ['on-time', 'topics'];

describe('The documents for people', () => {
  const documents = documentPaths().map((path) => ({ path, text: readDocument(path) }));

  it('hold the tables and programs that follow from the code (npm run documents updates them)', async () => {
    const stale: string[] = [];
    for (const { path, text } of documents) if ((await upToDate(text)) !== text) stale.push(path);
    expect(stale).to.deep.equal([]);
  });

  it('show only commands and options that the program has', async () => {
    const { commands } = await helpProgram();
    let count = 0;
    const unknown = documents.flatMap(({ path, text }) =>
      [...text.matchAll(/(?:\$ |`)horarium ([a-z]+(?:_[a-z]+)*(?::[a-z]+)?)\b([^`\n]*)/g)].flatMap(
        ([line, name, rest = '']) => {
          count += 1;
          if (name === 'help' || exampleCommands.some((example) => `${name}${rest}`.startsWith(example))) return [];
          const command = commands.find((candidate) => candidate.name() === name);
          const [words = ''] = rest.split(/[|#]/);
          const options = [...words.matchAll(/ (--[a-z-]+)/g)].map(([, option]) => option);
          const isKnown = options.every(
            (option) => option === '--help' || command?.options.some(({ long }) => long === option),
          );
          return command && isKnown ? [] : [`${path}: ${line}`];
        },
      ),
    );
    expect(unknown).to.deep.equal([]);
    expect(count).to.be.greaterThan(50);
  });

  it('name only settings that exist', () => {
    const files = secretSettings.map(({ name }) => fileVariableOf(name));
    const named = sourceFiles()
      .filter(({ path }) => !path.startsWith('test/'))
      .flatMap(({ text }) => text.match(/HORARIUM_[A-Z_]+/g) ?? []);
    const ofCommands = [...noticeValueNames, 'subject', 'delivery_id', 'notice'].map(variableOf);
    const known = new Set([...named, ...settings.map(({ name }) => variableOf(name)), ...files, ...ofCommands]);
    const unknown = documents.flatMap(({ path, text }) =>
      [...text.matchAll(/HORARIUM_(?!TEST_)[A-Z_]+/g)]
        .filter(([name]) => !known.has(name))
        .map(([name]) => `${path}: ${name}`),
    );
    expect(unknown).to.deep.equal([]);
  });

  it('show options of plugins that the plugins accept', async () => {
    const examples = documents.flatMap(({ text }) => [...text.matchAll(/HORARIUM_PLUGIN_OPTIONS='([^']+)'/g)]);
    using cli = new TestCli();
    for (const [, HORARIUM_PLUGIN_OPTIONS = ''] of examples) {
      const { err } = await cli.command('plugin:list', { environment: { HORARIUM_PLUGIN_OPTIONS } });
      expect([HORARIUM_PLUGIN_OPTIONS, err]).to.deep.equal([HORARIUM_PLUGIN_OPTIONS, '']);
    }
  });
});

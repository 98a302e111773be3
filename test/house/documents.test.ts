import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
    const { commands } = await helpProgram({ plugins: 'all' });
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

  it('show settings files that the service and its plugins accept', async () => {
    using cli = new TestCli();
    const files = documents.flatMap(({ path, text }) =>
      [...text.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, yaml = '']) => ({ path, yaml })),
    );
    // Files of Prometheus, of the configuration, and one that loads a plugin which its reader has written.
    const ofTheService = files.filter(({ yaml }) => !/^(?:scrape_configs|groups|runtemplates):|my-thing/m.test(yaml));
    for (const { path, yaml } of ofTheService) {
      writeFileSync(join(cli.folder, 'horarium.yaml'), yaml, { mode: 0o600 });
      const { code, err } = await cli.command('plugin:list --config horarium.yaml');
      expect([path, yaml, code, err]).to.deep.equal([path, yaml, 0, '']);
    }
    expect(ofTheService.length).to.be.greaterThan(8);
  });
});

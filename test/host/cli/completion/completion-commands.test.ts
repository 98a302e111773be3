import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readFolder } from '../../../support/faults/read-folder.ts';
import { TestCli } from '../../../support/program/test-cli.ts';
import { moduleOf } from '../../../support/program/unusable-plugins.ts';

/** The module of a plugin with a command, which leaves a file when it is loaded. */
const greeter = (marker: string) => `import { writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(marker)}, '');
${moduleOf({
  source: `{ name: 'greeter', api: 1, commands: [core.defineCommand({ name: 'greet:all', summary: 'Greet everyone.',
    options: { tone: core.choice(['kind', 'curt']), to: core.texts(9) }, run: () => undefined })] }`,
  refusal: /./,
})}`;

describe('horarium complete', () => {
  let cli: TestCli;
  let marker: string;
  beforeEach(() => {
    cli = new TestCli();
    marker = join(cli.folder, 'loaded');
    const file = (name: string, text: string) => writeFileSync(join(cli.folder, name), text);
    file('greeter.mjs', greeter(marker));
    file('broken.mjs', 'throw new Error("no licence");\n');
    file('horarium.yaml', 'plugins: [built-in, ./greeter.mjs]\n');
  });
  afterEach(() => cli[Symbol.dispose]());

  /** Completes a line, quietly, and returns what was printed. */
  async function completed(line: string, environment: Readonly<Record<string, string>> = {}): Promise<string> {
    const { code, out, err } = await cli.run(['complete', '--', line], { environment });
    expect([line, code, err]).to.deep.equal([line, 0, '']);
    return out;
  }

  it('prints each word with its meaning, and where a file may be named', async () => {
    expect(await completed('horarium task:l')).to.equal('task:list\tList tasks, newest first\n');
    expect(await completed('horarium apply ')).to.equal(':files\n');
    expect(await completed('horarium help hold')).to.equal('hold-jobs\tPause\n');
    expect(await completed('horarium help topic')).to.match(/^topic\tCommands: list, get, save, delete$/m);
    const ofPause = (await completed('horarium help pause')).match(/^pause\t.*/gm);
    expect(ofPause).to.deep.equal(['pause\tLet no job start for a while; running ones go on']);
    expect(await completed('horarium nonsense ')).to.equal('');
  });

  it('says nothing and changes nothing, whatever the line and the settings are', async () => {
    const before = readFolder(cli.folder);
    const lines = [
      '',
      ' ',
      '-',
      "'",
      '\\',
      'horarium --config missing.yaml task:list --',
      'horarium \u0000 ',
      '$(x) `y` ',
    ];
    for (const line of lines) await completed(line);
    const settings = [{ HORARIUM_CONFIG: 'missing.yaml' }, { HORARIUM_NONSENSE: '1' }, { HORARIUM_PORT: 'x' }];
    for (const environment of settings)
      expect(await completed('horarium crontab:s', environment)).to.match(/^crontab:sync\t/);
    expect(readFolder(cli.folder)).to.deep.equal(before);
  });

  it('offers the commands of plugins with their options and values', async () => {
    const settings = { HORARIUM_PLUGINS: 'built-in,./greeter.mjs' };
    expect(await completed('horarium greet', settings)).to.equal('greet:all\tGreet everyone\n');
    expect(await completed('horarium greet:all --tone k', settings)).to.equal('kind\t\n');
    expect(await completed('horarium greet:all --to a --to', settings)).to.match(/^--tone\t.*\n--to\t.*\n$/);
    expect(await completed('horarium help greet', { HORARIUM_CONFIG: 'horarium.yaml' })).to.match(/^greet:all\t/);
  });

  it('leaves out the plugins of the settings if one cannot be loaded, but not the built-in ones', async () => {
    const settings = { HORARIUM_PLUGINS: 'built-in,./greeter.mjs,./broken.mjs' };
    expect(await completed('horarium greet', settings)).to.equal('');
    expect(await completed('horarium crontab:s', settings)).to.match(/^crontab:sync\t/);
  });

  it('reads no secrets: their files may be out of reach', async () => {
    const settings = { HORARIUM_PLUGINS: './greeter.mjs', HORARIUM_VAULT_KEY: '', HORARIUM_VAULT_KEY_FILE: 'missing' };
    expect(await completed('horarium greet', settings)).to.match(/^greet:all\t/);
  });

  it('loads no plugin for a line that was not entered', async () => {
    const options = '--config horarium.yaml --plugins ./greeter.mjs';
    for (const line of [
      `greet:all ${options} `,
      `task:list ${options} --`,
      `${options} gree`,
      `help greet:all ${options}`,
    ])
      await completed(`horarium ${line}`);
    expect(existsSync(marker)).to.equal(false);
  });

  it('is not listed as a command, and completion is', async () => {
    const { out } = await cli.command('--help');
    expect(out)
      .to.match(/\bcompletion\n/)
      .and.not.match(/\bcomplete\b/);
  });
});

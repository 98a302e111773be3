import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { pluginTemplateKinds } from '../../../host/plugins/new-plugin.ts';
import { sourceRoot } from '../../house/source-files.ts';
import { readDocument } from '../../support/docs/documents.ts';
import { pageSteps } from '../../support/docs/page-steps.ts';
import { TestCli } from '../../support/program/test-cli.ts';
import { moduleOf, unusablePlugins } from '../../support/program/unusable-plugins.ts';

/** The modules of the core as a plugin in any folder of the disk can import them. */
const [core, contracts] = ['plugin', 'contracts'].map((entry) =>
  JSON.stringify(import.meta.resolve(`@horarium/core/${entry}`)),
);

describe('horarium plugin:new', () => {
  let cli: TestCli;
  before(() => {
    cli = new TestCli();
  });
  after(() => cli[Symbol.dispose]());

  it('refuses a kind without a template, a name that no package can have and a folder that is not empty', async () => {
    expect((await cli.command('plugin:new vault my-thing')).err).to.match(
      /^There is no template for the kind vault: it must be one of .*format/,
    );
    expect((await cli.command('plugin:new format My_Thing')).err).to.match(/^The name My_Thing must be small letters/);
    mkdirSync(join(cli.folder, 'taken'));
    writeFileSync(join(cli.folder, 'taken', 'notes.txt'), 'mine');
    const { code, err } = await cli.command('plugin:new format taken');
    expect([code, err]).to.deep.equal([1, `The folder ${cli.folder}/taken is not empty: nothing was written.\n`]);
    expect(readdirSync(join(cli.folder, 'taken'))).to.deep.equal(['notes.txt']);
  });

  it('writes a README that names the commands, with the name put in everywhere', async () => {
    const { code, out } = await cli.command('plugin:new format my-lines --folder plugins/lines');
    const files = ['package.json', 'plugin.js', 'fixtures.js', 'plugin.test.js', 'README.md'];
    expect([code, out.trim().split('\n')]).to.deep.equal([0, files.map((file) => `plugins/lines/${file}`)]);
    const readme = readFileSync(join(cli.folder, 'plugins/lines/README.md'), 'utf8');
    expect(readme).to.contain('# my-lines').and.contain('plugin:check').and.contain('apps.mylines');
  });
});

describe('The settings for a plugin that the handbook prints', () => {
  const [file] = pageSteps(readDocument('plugins/docs/handbook/extend/plugins.md')).filter(
    ({ kind }) => kind === 'file',
  );
  const printed = file?.kind === 'file' ? file.text : '';

  for (const kind of pluginTemplateKinds)
    it(`load what plugin:new ${kind} writes`, async () => {
      using cli = new TestCli();
      mkdirSync(join(cli.folder, 'node_modules/@horarium'), { recursive: true });
      symlinkSync(join(sourceRoot, 'core'), join(cli.folder, 'node_modules/@horarium/core'));
      expect((await cli.command(`plugin:new ${kind} my-thing`)).code).to.equal(0);
      expect(printed).to.contain('my-thing');
      writeFileSync(join(cli.folder, 'horarium.yaml'), printed);
      const { code, out, err } = await cli.command('plugin:list --config horarium.yaml');
      expect([code, err]).to.deep.equal([0, '']);
      expect(out).to.match(/my-?thing/);
    });
});

describe('horarium plugin:check', () => {
  let cli: TestCli;
  before(() => {
    cli = new TestCli();
  });
  after(() => cli[Symbol.dispose]());

  /** Checks a plugin of these two modules. */
  const check = async (name: string, plugin: string, fixtures?: string) => {
    const folder = join(cli.folder, name);
    mkdirSync(folder);
    writeFileSync(join(folder, 'plugin.mjs'), `import * as core from ${core};\nexport default ${plugin};\n`);
    if (fixtures !== undefined) writeFileSync(join(folder, 'fixtures.mjs'), fixtures);
    return cli.run(['plugin:check', `${name}/plugin.mjs`]);
  };

  it('prints each check and the verdict', async () => {
    const write = `(value) => JSON.stringify(value)`;
    const { code, out } = await check(
      'good',
      `{ name: 'good', api: 1, formats: [{ suffix: 'good', mime: 'text/plain', write: ${write} }] }`,
    );
    expect(code).to.equal(0);
    expect(out)
      .to.match(/^ok {6}format good: /)
      .and.match(/\nThe plugin good can be used: \d+ checks passed\.\n$/);
  });

  it('names each check that a plugin fails, and exits with 1', async () => {
    const bad = `{ name: 'bad', api: 1, formats: [{ suffix: 'bad', mime: 'text/plain', write: () => String(performance.now()) }] }`;
    const { code, out, err } = await check('bad', bad);
    expect(code).to.equal(1);
    expect(out).to.contain(
      'FAILED  format bad: writes the same data to the same text each time\n        Two responses with',
    );
    expect(err).to.match(/^The plugin bad fails \d+ of \d+ checks\.\n$/);
  });

  it('fails an executor without fixtures, and takes its programs from fixtures beside the plugin', async () => {
    const executor = (name: string) =>
      `{ name: '${name}', api: 1, executors: () => [{ name: '${name}', options: {}, start: () => ({ done: Promise.resolve({ exitCode: 0 }), stop() {} }) }] }`;
    const without = await check('unknown', executor('unknown'));
    expect([without.code, without.out]).to.deep.equal([
      1,
      'FAILED  executor unknown: is checked\n        Its contract needs fixtures: fixtures.js beside the plugin must have executors: { "unknown": … }, as plugin:new executor writes them.\n',
    ]);
    const names = [
      'succeeds',
      'fails',
      'writes',
      'writesMebibyte',
      'runsUntilStopped',
      'missing',
      'echoesStdin',
      'writesGreeting',
    ];
    const programs = names.map((name) => `${name}: { executable: '${name}', arguments: [] }`).join(', ');
    const fixtures = `import { defineFixtures } from ${contracts};\nexport default defineFixtures({ executors: { hasty: { programs: { ${programs} } } } });\n`;
    const { out } = await check('hasty', executor('hasty'), fixtures);
    expect(out).to.contain('FAILED  executor hasty: reports the start of a program once, and its result');
  });

  it('lets the fixtures of an executor give the options that it requires', async () => {
    const plugin = `{ name: 'greeter', api: 1, executors: () => [core.defineAsyncExecutor({ name: 'greeter',
      options: { word: core.text(9).required() }, run: async ({ options }) => ({ exitCode: options.word === 'Hi' ? 3 : 0 }) })] }`;
    const fixtures = (options: string) =>
      `export default { executors: { greeter: { ${options} programs: { fails: { executable: 'x', arguments: [] } } } } };`;
    const title = 'executor greeter: returns the exit code of a program that fails';
    const without = await check('greeter-without', plugin, fixtures(''));
    expect(without.out).to.contain(
      `FAILED  ${title}\n        The fixture must give the options of the executor greeter, as options: word is required\n`,
    );
    const { out } = await check('greeter', plugin, fixtures("options: { word: 'Hi' },"));
    expect(out).to.contain(`ok      ${title}\n`);
  });

  it('says in a sentence why the service would not load it', async () => {
    for (const [name, plugin] of Object.entries(unusablePlugins)) {
      writeFileSync(join(cli.folder, `${name}.mjs`), moduleOf(plugin));
      const { code, out, err } = await cli.run(['plugin:check', `${name}.mjs`]);
      expect([code, out], err).to.deep.equal([1, '']);
      expect(err).to.match(plugin.refusal);
    }
  });
});

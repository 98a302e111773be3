import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { count, HorariumError } from '@horarium/core';
import { StandingClock } from '@horarium/core/contracts';
import { definePlugin } from '@horarium/core/plugin';
import { expect } from 'chai';
import { loadPlugins, type PluginSources } from '../../../host/plugins/load-plugins.ts';
import { pluginRows } from '../../../host/plugins/plugin-rows.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';

const clock = new StandingClock();
const builtIn = {
  'format-one': async () => definePlugin({ name: 'format-one', api: 1 }),
  'format-two': async () => definePlugin({ name: 'format-two', api: 1, options: { indent: count(2) } }),
};

describe('loadPlugins', () => {
  let folder: string;
  before(async () => {
    folder = temporaryFolder('plugins');
    await write('good.mjs', 'export default { name: "good", api: 1 };');
    const core = JSON.stringify(import.meta.resolve('@horarium/core/plugin'));
    const options = '{ name: "format-two", api: 1, options: { indent: count(2) } }';
    await write('two.mjs', `import { count, definePlugin } from ${core}; export default definePlugin(${options});`);
    await write('twin.mjs', 'export default { name: "good", api: 1 };');
    await write('newer.mjs', 'export default { name: "newer", api: 2 };');
    await write('other.mjs', 'export const plugin = 1;');
    await write('broken.mjs', 'throw new Error("no licence\\nfound");');
  });
  const write = (name: string, source: string) => writeFile(join(folder, name), source);
  after(() => rm(folder, { recursive: true }));

  const load = (
    wanted: string[] | null,
    options: PluginSources['options'] = {},
    defaults: PluginSources['defaults'] = {},
  ) => loadPlugins({ builtIn, onlyByName: new Set(), wanted, options, defaults, folder, clock });
  const refusal = async (...given: Parameters<typeof load>): Promise<string> => {
    const error = await load(...given).then(
      () => new Error('accepted'),
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof HorariumError)) throw error;
    return error.message;
  };

  it('loads the built-in plugins by default', async () => {
    const prepared = await load(null, { 'format-two': { indent: 4 } });
    expect(prepared.map(({ plugin, setup }) => [plugin.name, setup.options])).to.deep.equal([
      ['format-one', {}],
      ['format-two', { indent: 4 }],
    ]);
  });

  it('loads names and paths in the order given', async () => {
    const prepared = await load(['./good.mjs', 'format-one']);
    expect(prepared.map(({ plugin }) => plugin.name)).to.deep.equal(['good', 'format-one']);
  });

  it('loads the package in the folder where relative paths start, named by a point', async () => {
    await write('package.json', '{ "name": "good", "type": "module", "main": "./good.mjs" }');
    expect((await load(['.'])).map(({ plugin }) => plugin.name)).to.deep.equal(['good']);
  });

  it('tells the version of the package that has a plugin, and null where there is none', async () => {
    await mkdir(join(folder, 'package/dist'), { recursive: true });
    await write('package/package.json', '{ "name": "packed", "type": "module", "version": "2.3.4" }');
    await write('package/dist/packed.js', 'export default { name: "packed", api: 1 };');
    const rows = await pluginRows(await load(['./package/dist/packed.js', './good.mjs']), {});
    expect(rows).to.deep.equal([
      { name: 'packed', built_in: false, version: '2.3.4', brings: {} },
      { name: 'good', built_in: false, version: null, brings: {} },
    ]);
  });

  it('loads further plugins together with the built-in ones', async () => {
    const prepared = await load(['built-in', './good.mjs']);
    expect(prepared.map(({ plugin }) => plugin.name)).to.deep.equal(['format-one', 'format-two', 'good']);
  });

  it('prefers given options to the defaults, by whatever path the plugin was loaded', async () => {
    const indentOf = async (...given: Parameters<typeof load>) =>
      (await load(...given)).find(({ plugin }) => plugin.name === 'format-two')?.setup.options.indent;
    const defaults = { 'format-two': { indent: 8 }, 'format-three': { indent: 1 } };
    for (const wanted of [null, ['built-in'], ['built-in', './good.mjs'], ['format-two'], ['./two.mjs']])
      expect(await indentOf(wanted, {}, defaults)).to.equal(8);
    expect(await indentOf(null, { 'format-two': { indent: 4 } }, defaults)).to.equal(4);
  });

  it('rejects a plugin that cannot be used, naming it', async () => {
    expect(await refusal(['formt-one'])).to.equal(
      'The plugin formt-one cannot be loaded: no package of that name is installed beside the service. npm i formt-one installs one; a path begins with ./ or /. Did you mean format-one?',
    );
    expect(await refusal(['good.mjs'])).to.equal(
      'The plugin good.mjs cannot be loaded: no package of that name is installed beside the service. Write ./good.mjs for the file or folder of that name.',
    );
    expect(await refusal(['./missing.mjs'])).to.equal(
      `The plugin ./missing.mjs cannot be loaded: there is no file or folder ${join(folder, 'missing.mjs')}.`,
    );
    expect(await refusal([folder.slice(0, folder.lastIndexOf('/'))])).to.match(/: the folder has no package\.json\.$/);
    expect(await refusal(['./broken.mjs'])).to.equal('The plugin ./broken.mjs cannot be loaded: no licence.');
    expect(await refusal(['./other.mjs'])).to.match(/^\.\/other\.mjs is not a plugin: /);
    expect(await refusal(['./newer.mjs'])).to.equal(
      'The plugin newer (./newer.mjs) is written for version 2 of the plugin interface; this host supports version 1.',
    );
    expect(await refusal(['./good.mjs', './twin.mjs'])).to.equal(
      'Two plugins are called good; the second one is ./twin.mjs.',
    );
    expect(await refusal(null, { 'format-tow': {} })).to.equal(
      'There are options for the plugin format-tow, which is not loaded. Did you mean format-two?',
    );
    expect(await refusal(null, { 'format-two': { indent: -1 } })).to.match(
      /^The options of the plugin format-two are invalid: indent must be greater than or equal to 0\.$/,
    );
  });
});

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { sourceRoot } from '../house/source-files.ts';
import { examplePlugins, type PluginApplication, pluginApplication } from '../support/packages/plugin-application.ts';

const run = promisify(execFile);

describe('A plugin in a folder of its own', () => {
  let application: PluginApplication;
  before(async function () {
    this.timeout(180_000);
    application = await pluginApplication();
  });

  for (const name of examplePlugins)
    it(`${name} passes its own test, and plugin:check`, async () => {
      expect(await application.test(name))
        .to.match(/\bfail 0$/m)
        .and.match(/\bpass [1-9]/m);
      expect(await application.horarium('plugin:check', name)).to.match(
        new RegExp(`^The plugin ${name} can be used: \\d+ checks passed\\.$`, 'm'),
      );
    });

  for (const kind of ['executor', 'action', 'event-source', 'format'])
    it(`that plugin:new writes for the kind ${kind} passes its own test, and plugin:check, as it is`, async () => {
      const name = `my-${kind}`;
      await application.horarium('plugin:new', kind, name);
      expect(await application.test(name))
        .to.match(/\bfail 0$/m)
        .and.match(/\bpass [1-9]/m);
      expect(await application.horarium('plugin:check', name)).to.match(/ checks passed\.$/m);
    });

  it('has the types of what it uses, without a build', async () => {
    const modules = examplePlugins.flatMap((name) => ['plugin.js', 'fixtures.js'].map((file) => join(name, file)));
    const options = '--noEmit --allowJs --checkJs --strict --skipLibCheck --module nodenext --target esnext'.split(' ');
    const types = ['--types', 'node', '--typeRoots', join(sourceRoot, 'node_modules/@types')];
    const { stdout } = await run(join(sourceRoot, 'node_modules/.bin/tsc'), [...options, ...types, ...modules], {
      cwd: application.folder,
    }).catch((error: { stdout: string }) => error);
    expect(stdout).to.equal('');
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildRegistries, preparePlugin, systemClock } from '@horarium/core';
import { expect } from 'chai';
import { builtInNames } from '../../../host/plugins/built-in.ts';
import { startPlugins } from '../../../host/plugins/start-plugins.ts';
import fleetNats from '../../../plugins/fleet-nats/plugin.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { TestCli } from '../../support/program/test-cli.ts';

const missing = (plugin: string, plugins: string) =>
  `belongs? to the plugin ${plugin}, which is not loaded: .* such as plugins: \\[${plugins}\\] in the settings file\\.`;

describe('A command of a plugin that is not loaded', () => {
  let cli: TestCli;
  before(() => {
    cli = new TestCli();
  });
  after(() => cli[Symbol.dispose]());

  it('is refused with the plugin that it belongs to, and how to load it', async () => {
    for (const line of ['agent:enroll x --pool gpu', 'agent:list', 'pool:save --name gpu']) {
      const { code, out, err } = await cli.command(line);
      expect([line, code, out]).to.deep.equal([line, 2, '']);
      expect(err).to.match(
        new RegExp(`^error: unknown command '.*'\n.*${missing('fleet-nats', 'built-in, fleet-nats')}`),
      );
    }
  });

  it('is looked for in every plugin that comes with the service', async () => {
    writeFileSync(join(cli.folder, 'h.yaml'), 'plugins: [format-json]\n');
    const { code, err } = await cli.command('crontab:sync tab --config h.yaml --company acme');
    expect(code).to.equal(2);
    expect(err).to.match(new RegExp(missing('import-crontab', 'format-json, import-crontab')));
  });

  it('has its help, which says so too', async () => {
    for (const line of ['agent:enroll --help', 'help agent:enroll']) {
      const { code, out } = await cli.command(line);
      expect([line, code]).to.deep.equal([line, 0]);
      expect(out)
        .to.match(/^Usage: horarium agent:enroll \[options\] <name>/)
        .and.match(new RegExp(`^This command ${missing('fleet-nats', 'built-in, fleet-nats')}$`, 'm'));
    }
  });

  it('is in the help on its kind, also beside a command of that name', async () => {
    for (const [line, first, command] of [
      ['help agent', 'Usage: horarium agent ', 'agent:enroll'],
      ['help pool', 'Commands of pool ', 'pool:list'],
    ] as const) {
      const { code, out } = await cli.command(line);
      expect([line, code, out.startsWith(first)]).to.deep.equal([line, 0, true]);
      expect(out)
        .to.match(new RegExp(`^ {2}${command} `, 'm'))
        .and.match(new RegExp(`^These commands ${missing('fleet-nats', 'built-in, fleet-nats')}$`, 'm'));
    }
  });

  it('stays unknown where no plugin has it', async () => {
    expect((await cli.command('agent:lsit')).err).to.match(/Did you mean agent:list\?/);
    expect((await cli.command('nonsense')).err).to.equal(
      'error: unknown command \'nonsense\'\n(see "horarium --help")\n',
    );
  });
});

describe('The plugins that come with the service', () => {
  it('are loaded without options, so that their commands have help before they are set up', async () => {
    for (const name of builtInNames) {
      const cli = new TestCli(undefined, { HORARIUM_PLUGINS: name });
      expect([name, (await cli.command('--help')).err]).to.deep.equal([name, '']);
      cli[Symbol.dispose]();
    }
  });
});

describe('The plugin fleet-nats without a file for its keys', () => {
  let cli: TestCli;
  before(async () => {
    cli = new TestCli(undefined, { HORARIUM_PLUGINS: 'built-in,fleet-nats' });
    expect((await cli.command('migrate')).code).to.equal(0);
  });
  after(() => cli[Symbol.dispose]());

  it('has help for its commands, and lists agents', async () => {
    const { out, err } = await cli.command('help agent');
    expect(out)
      .to.match(/^Usage: horarium agent /)
      .and.match(/^ {2}agent:list /m)
      .and.not.include('not loaded');
    expect(err).to.equal('');
    expect((await cli.command('--help')).err).to.equal('');
    expect((await cli.command('agent:list')).out).to.equal('(none)\n');
  });

  it('says which option is missing where the keys are needed', async () => {
    const sentence = /^The plugin fleet-nats needs the option host_key_file: the path of the file/;
    const { code, err } = await cli.command('agent:permissions');
    expect(code).to.equal(1);
    expect(err).to.match(sentence);
    const prepared = [preparePlugin(fleetNats, {}, systemClock)];
    expect((await rejectionOf(startPlugins(prepared, buildRegistries(prepared)))).message).to.match(sentence);
  });
});

describe('Help beside a plugin that cannot be loaded', () => {
  it('is there, with the reason where commands may be missing', async () => {
    const cli = new TestCli(undefined, { HORARIUM_PLUGINS: 'built-in,./missing.js' });
    const reason = /^The plugin \.\/missing\.js cannot be loaded: /;
    for (const line of ['--help', 'crontab:sync --help', 'help pool']) {
      const { code, out, err } = await cli.command(line);
      expect([line, code]).to.deep.equal([line, 0]);
      expect(out).not.to.equal('');
      expect(err).to.match(reason);
    }
    expect((await cli.command('serve --help')).err).to.equal('');
    expect((await cli.command('crontab:sync x --company y')).err).to.match(reason);
    cli[Symbol.dispose]();
  });
});

import {
  type AnyPlugin,
  buildRegistries,
  count,
  type Format,
  HorariumError,
  preparePlugin,
  text,
} from '@horarium/core';
import { StandingClock } from '@horarium/core/contracts';
import { definePlugin, Topic } from '@horarium/core/plugin';
import { expect } from 'chai';

const clock = new StandingClock();
const format = (suffix: string): Format => ({ suffix, mime: 'text/plain', write: String });
const prepared = (...plugins: AnyPlugin[]) => plugins.map((plugin) => preparePlugin(plugin, {}, clock));
const refusal = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof HorariumError) return error.message;
    throw error;
  }
  throw new Error('It was accepted.');
};

describe('buildRegistries', () => {
  it('registers extensions by key, in the order of the plugins', () => {
    const one = definePlugin({ name: 'one', api: 1, formats: [format('json'), format('tar.gz')] });
    const two = definePlugin({ name: 'two', api: 1, formats: [format('csv')] });
    const { formats, executors } = buildRegistries(prepared(one, two));
    expect(formats.keys()).to.deep.equal(['json', 'tar.gz', 'csv']);
    expect(formats.get('csv')).to.equal(two.formats?.[0]);
    expect([...formats].map((each) => each.suffix)).to.deep.equal(['json', 'tar.gz', 'csv']);
    expect([formats.get('xml'), ...executors]).to.deep.equal([undefined]);
  });

  it('refuses a calendar rule with a secret option, because calendars are stored as they are', () => {
    const rule = { name: 'closed', options: { token: text(64, { secret: 'encrypted' }) }, daysOff: () => [] };
    const plugin = definePlugin({ name: 'one', api: 1, calendarRules: [rule] });
    expect(refusal(() => buildRegistries(prepared(plugin)))).to.equal(
      'The plugin one provides a calendar rule whose options is not an object of fields, none of them secret, nor rule, which each use has.',
    );
  });

  it('names both plugins when a key is taken', () => {
    const one = definePlugin({ name: 'one', api: 1, formats: [format('json')] });
    const two = definePlugin({ name: 'two', api: 1, formats: [format('json')] });
    expect(refusal(() => buildRegistries(prepared(one, two)))).to.equal(
      'The plugins one and two both provide the format json; only one of them can be loaded.',
    );
    const pages = ['one', 'two'].map((name) => definePlugin({ name, api: 1, assets: [{ at: '/', folder: '/pages' }] }));
    expect(refusal(() => buildRegistries(prepared(...pages)))).to.equal(
      'The plugins one and two both provide the folder of assets /; only one of them can be loaded.',
    );
  });
});

describe('buildRegistries, for an invalid extension', () => {
  const validFormat = format('ndjson');
  const { mime: _mime, ...withoutMime } = validFormat;
  const importer = { name: 'x', summary: 'X.', filesHelp: 'files', read: () => ({ entries: [], notes: [] }) };
  const command = { name: 'x:y', summary: 'X.', run: async () => {} };
  const route = {
    method: 'GET',
    path: '/x',
    summary: 'X',
    authentication: 'none',
    shape: {},
    handle: async () => ({}),
  };
  const routes = () => [route];
  const external = { name: 'x', options: {}, limits: {}, heartbeatTimeout: () => null, contentTypeOf: () => 'a/b' };
  const invalidPlugins: readonly (readonly [plugin: object, sentence: string])[] = [
    [{ formats: [withoutMime] }, 'a format without mime, which must be a content type such as text/plain'],
    [{ formats: [{ ...validFormat, mime: 5 }] }, 'a format whose mime is not a content type such as text/plain'],
    [{ formats: [{ ...validFormat, mime: 'json' }] }, 'a format whose mime is not a content type such as text/plain'],
    [
      { formats: [{ ...validFormat, problemMime: '' }] },
      'a format whose problemMime is not a content type such as text/plain',
    ],
    [
      { formats: [{ ...validFormat, suffix: '.json' }] },
      'a format whose suffix is not letters and digits such as json or tar.gz',
    ],
    [{ formats: [{ ...validFormat, write: 'x' }] }, 'a format whose write is not a function'],
    [{ formats: [{ ...validFormat, writeList: {} }] }, 'a format whose writeList is not a function'],
    [{ formats: [null] }, 'a format that is not an object'],
    [{ executors: () => [{ name: 'x' }] }, 'an executor without options, which must be an object of fields'],
    [{ executors: () => [{ name: 'x', options: {} }] }, 'an executor without start, which must be a function'],
    [{ executors: () => [{ name: 'x', options: {}, start: 1 }] }, 'an executor whose start is not a function'],
    [
      { executors: () => [{ ...external, limits: undefined }] },
      'an executor without limits, which must be an object of limits',
    ],
    [
      { executors: () => [{ ...external, heartbeatTimeout: 60 }] },
      'an executor whose heartbeatTimeout is not a function',
    ],
    [
      { executors: () => [{ ...external, contentTypeOf: undefined }] },
      'an executor without contentTypeOf, which must be a function',
    ],
    [{ executors: () => ({}) }, 'executors that are not a list'],
    [
      { eventSourceKinds: () => [{ name: 'x', options: {} }] },
      'an event source kind without probe, which must be a function',
    ],
    [{ actions: () => [{ name: 'x', options: {} }] }, 'an action without deliver, which must be a function'],
    [
      { actions: () => [{ name: 'x', options: {}, deliver: () => ({}), adminOnly: 'yes' }] },
      'an action whose adminOnly is not true or false',
    ],
    [
      { actions: () => [{ name: 'x', options: { id: text(20) }, deliver: () => ({}) }] },
      'an action whose options is not an object of fields, none of them action or id, which each list has',
    ],
    [
      { actions: () => [{ name: 'x', options: { url: text(20) }, address: ['link'], deliver: () => ({}) }] },
      'an action whose address is not a list of its options',
    ],
    [
      { eventSourceKinds: () => [{ name: 'x', options: {}, address: 'host', probe: () => ({}) }] },
      'an event source kind whose address is not a list of its options',
    ],
    [
      { executors: () => [{ name: 'x', options: {}, start: () => ({}), recognizes: true }] },
      'an executor whose recognizes is not a function',
    ],
    [{ tickers: () => [{ name: 'x', interval: 1000 }] }, 'a ticker without tick, which must be a function'],
    [
      { tickers: () => [{ name: 'x', interval: 0, tick: async () => {} }] },
      'a ticker whose interval is not a whole number of milliseconds from 1 on',
    ],
    [
      { gauges: () => [{ name: 'Waiting mails', help: 'Mails that wait.', read: async () => 1 }] },
      'a gauge whose name is not a name such as waiting_mails',
    ],
    [{ gauges: () => [{ name: 'waiting_mails', read: async () => 1 }] }, 'a gauge without help, which must be a text'],
    [{ checks: () => [{ name: 'mail', advice: 'Start it.' }] }, 'a check without run, which must be a function'],
    [{ resources: [{ resource: {}, migrations: [] }] }, 'a resource whose resource is not made by defineResource'],
    [
      { resources: [{ resource: Topic, migrations: [{ name: 'x', sqlite: ['create'] }] }] },
      'a resource whose migrations is not a list of migrations, each with a name such as 20261126-color and lists of statements as sqlite and postgresql',
    ],
    [
      { executors: () => [{ name: 'x', options: {}, start: () => ({}), forbiddenVariables: ['PATH'] }] },
      'an executor whose forbiddenVariables is not a list of groups of variables, each with programs, effect and names',
    ],
    [{ importers: [{ ...importer, read: undefined }] }, 'an importer without read, which must be a function'],
    [{ commands: [{ ...command, name: 'X Y' }] }, 'a command whose name is not a name such as app:export'],
    [{ routes: () => [{ ...route, method: 'PUT' }] }, 'a route whose method is not GET, POST or DELETE'],
    [{ routes: () => [{ ...route, path: 'x' }] }, 'a route whose path is not a path that begins with a slash'],
    [{ routes: () => [{ ...route, rel: 'docs' }] }, 'a route whose rel is not service-doc'],
    [{ assets: [{ at: '/board/', folder: '/a' }] }, 'a folder of assets whose at is not a path such as / or /board'],
    [{ assets: [{ at: '/', folder: 'a' }] }, 'a folder of assets whose folder is not a file: URL or an absolute path'],
    [
      { assets: [{ at: '/', folder: new URL('https://a.example/') }] },
      'a folder of assets whose folder is not a file: URL or an absolute path',
    ],
    [
      { assets: [{ at: '/', folder: '/a', page: '' }] },
      'a folder of assets whose page is not the name of a file such as index.html',
    ],
    [
      { assets: [{ at: '/', folder: '/a', headers: { 'X-A': 'a\r\nb' } }] },
      'a folder of assets whose headers is not an object of headers',
    ],
  ];
  for (const [plugin, sentence] of invalidPlugins)
    it(`rejects ${sentence}`, () => {
      const invalidPlugin = { name: 'mine', api: 1, ...plugin } as AnyPlugin;
      expect(refusal(() => buildRegistries(prepared(invalidPlugin)))).to.equal(`The plugin mine provides ${sentence}.`);
    });

  it('accepts valid extensions, and adds a command and a route for each importer', () => {
    const plugin = {
      name: 'mine',
      api: 1,
      formats: [validFormat],
      importers: [importer],
      commands: [command],
      routes,
      executors: () => [external],
    };
    const registries = buildRegistries(prepared(plugin as unknown as AnyPlugin));
    expect(registries.commands.keys()).to.deep.equal(['x:y', 'x:import']);
    expect(registries.routes.keys()).to.deep.equal(['GET /x', 'POST /imports/x']);
    expect(registries.executors.get('x')).to.equal(external);
  });
});

describe('preparePlugin', () => {
  const plugin = definePlugin({
    name: 'mailer',
    api: 1,
    options: { server: text(20).required(), port: count(25) },
  });

  it('adds the defaults of missing options', () => {
    expect(preparePlugin(plugin, { server: 'a' }, clock).setup.options).to.deep.equal({ server: 'a', port: 25 });
  });

  it('names the plugin and every invalid option', () => {
    expect(refusal(() => preparePlugin(plugin, { port: 'x', prot: 1 }, clock))).to.match(
      /^The options of the plugin mailer are invalid: port must be a number.*; prot is not an option\. Did you mean port\?; server is required\.$/,
    );
    expect(refusal(() => preparePlugin(plugin, [], clock))).to.include('options must be an object');
    expect(refusal(() => preparePlugin(plugin, { server: null }, clock))).to.equal(
      'The options of the plugin mailer are invalid: server is required and cannot be cleared.',
    );
  });

  it('rejects a member with an unknown name or a wrong type', () => {
    const invalidPlugin = (more: object) => () =>
      preparePlugin({ name: 'mine', api: 1, ...more } as AnyPlugin, {}, clock);
    expect(refusal(invalidPlugin({ executers: () => [] }))).to.equal(
      'The plugin mine has a member executers, which means nothing here. Did you mean executors?',
    );
    expect(refusal(invalidPlugin({ formats: {} }))).to.equal('The plugin mine must have a list as its formats.');
    expect(refusal(invalidPlugin({ executors: [] }))).to.equal(
      'The plugin mine must have a function as its executors.',
    );
    expect(refusal(invalidPlugin({ sessions: 'yes' }))).to.equal(
      'The plugin mine must have true or false as its sessions.',
    );
    expect(refusal(invalidPlugin({ options: [] }))).to.equal(
      'The plugin mine must have an object of fields as its options.',
    );
  });
});

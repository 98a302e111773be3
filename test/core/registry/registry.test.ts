import {
  type AnyPlugin,
  buildRegistries,
  type Clock,
  count,
  definePlugin,
  type Format,
  HorariumError,
  preparePlugin,
  text,
} from '@horarium/core';
import { expect } from 'chai';

const clock: Clock = { now: () => 0, elapsed: () => 0, sleep: async () => {} };
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

describe('fillShelves', () => {
  it('puts what plugins bring under its key, in order', () => {
    const one = definePlugin({ name: 'one', api: 1, formats: [format('json'), format('tar.gz')] });
    const two = definePlugin({ name: 'two', api: 1, formats: [format('csv')] });
    const { formats, executors } = buildRegistries(prepared(one, two));
    expect(formats.keys()).to.deep.equal(['json', 'tar.gz', 'csv']);
    expect(formats.get('csv')).to.equal(two.formats?.[0]);
    expect([...formats].map((each) => each.suffix)).to.deep.equal(['json', 'tar.gz', 'csv']);
    expect([formats.get('xml'), ...executors]).to.deep.equal([undefined]);
  });

  it('names both plugins when a key is taken', () => {
    const one = definePlugin({ name: 'one', api: 1, formats: [format('json')] });
    const two = definePlugin({ name: 'two', api: 1, formats: [format('json')] });
    expect(refusal(() => buildRegistries(prepared(one, two)))).to.equal(
      'The plugins one and two both bring the format json; only one of them can be loaded.',
    );
  });
});

describe('preparePlugin', () => {
  const plugin = definePlugin({
    name: 'mailer',
    api: 1,
    options: { server: text(20).required(), port: count(25) },
  });

  it('fills in what was left out', () => {
    expect(preparePlugin(plugin, { server: 'a' }, clock).setup.options).to.deep.equal({ server: 'a', port: 25 });
  });

  it('names the plugin and every wrong option', () => {
    expect(refusal(() => preparePlugin(plugin, { port: 'x', prot: 1 }, clock))).to.match(
      /^The options of the plugin mailer are wrong: there is no option prot; server is required; port must be a number/,
    );
    expect(refusal(() => preparePlugin(plugin, [], clock))).to.include('options must be an object');
    expect(refusal(() => preparePlugin(plugin, { server: null }, clock))).to.equal(
      'The options of the plugin mailer are wrong: server is required and cannot be cleared.',
    );
  });
});

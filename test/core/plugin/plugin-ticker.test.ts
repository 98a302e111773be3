import { type Core, type CoreEvents, tickerOf } from '@horarium/core';
import type { PluginCore } from '@horarium/core/plugin';
import { expect } from 'chai';
import { EmbeddingWorld } from '../embedding/embedding-world.ts';

describe('A ticker of a plugin', () => {
  it('ticks at its interval with the core, from the start of the service to its stop', async () => {
    const world = new EmbeddingWorld();
    const cores: PluginCore[] = [];
    const ticker = { name: 'mine', interval: 60_000, tick: async (core: PluginCore) => void cores.push(core) };
    const core: Core = world.core({ tickers: [tickerOf(ticker, () => core)] });
    await world.time.pass(120_000);
    expect(cores).to.deep.equal([]);
    await core.start();
    await world.time.pass(179_000);
    expect(cores).to.deep.equal([core, core, core]);
    await world.during(core.stop());
    await world.time.pass(120_000);
    expect(cores).to.have.length(3);
  });

  it('that fails is named in the log and ticks again, and nothing else of the service stops', async () => {
    const world = new EmbeddingWorld();
    const failures: string[] = [];
    let fails = true;
    let ticks = 0;
    const ticker = {
      name: 'mine',
      interval: 60_000,
      tick: async () => {
        if (fails) throw new Error('no such host');
        ticks += 1;
      },
    };
    const tickFailed = (tick: string, error: unknown) => failures.push(`${tick}: ${error}`);
    const events = new Proxy({}, { get: (_, name) => (name === 'tickFailed' ? tickFailed : () => {}) }) as CoreEvents;
    const core: Core = world.core({ events, tickers: [tickerOf(ticker, () => core)] });
    await core.start();
    await world.time.pass(30_000);
    expect(new Set(failures)).to.deep.equal(new Set(['mine: Error: no such host']));
    fails = false;
    await world.time.pass(10_000);
    expect(ticks).to.equal(1);
    await world.during(core.stop());
  });
});

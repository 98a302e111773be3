import { expect } from 'chai';
import { PairsContext } from './context.ts';
import { measureSides } from './measure-sides.ts';
import type { Measurement } from './measurements/measurement.ts';

describe('Measuring two sides', () => {
  const sides = [
    { name: 'a1df491', root: '/a' },
    { name: 'this tree', root: '/b' },
  ];
  const silent = () => undefined;

  it('goes by turns, collects the samples of all rounds, and keeps the reason of what one side cannot give', async () => {
    await using context = new PairsContext(new AbortController().signal);
    const turns: string[] = [];
    const measurement = (group: string): Measurement => ({
      rows: [{ name: group }],
      async run({ name }, _context, add) {
        turns.push(`${group} of ${name}`);
        if (group === 'drain' && name === 'a1df491') throw new Error('it has no such bench');
        if (group !== 'shell' || name !== 'this tree') add(group, turns.length);
      },
    });
    const measurements = { shell: measurement('shell'), drain: measurement('drain') };
    const columns = await measureSides(sides, measurements, 2, context, silent);
    const round = ['shell of a1df491', 'shell of this tree', 'drain of a1df491', 'drain of this tree'];
    expect(turns).to.deep.equal([...round, ...round]);
    expect(columns.map(({ values }) => Object.fromEntries(values))).to.deep.equal([
      { shell: [1, 5] },
      { drain: [4, 8] },
    ]);
    expect(columns.map(({ reasons }) => Object.fromEntries(reasons))).to.deep.equal([
      { drain: 'it has no such bench' },
      { shell: 'it prints no such figure' },
    ]);
  });

  it('keeps the figures that a side gives before it fails', async () => {
    await using context = new PairsContext(new AbortController().signal);
    const failing: Measurement = {
      rows: [{ name: 'SQLite' }, { name: 'PostgreSQL' }],
      async run(_side, _context, add) {
        add('SQLite', 1, 2);
        throw new Error('PostgreSQL does not start');
      },
    };
    const [column] = await measureSides(sides.slice(1), { failing }, 1, context, silent);
    expect([...(column?.values ?? [])]).to.deep.equal([['SQLite', [1, 2]]]);
    expect([...(column?.reasons ?? [])]).to.deep.equal([['PostgreSQL', 'PostgreSQL does not start']]);
  });

  it('returns what it has when it is interrupted', async () => {
    const interrupt = new AbortController();
    await using context = new PairsContext(interrupt.signal);
    const interrupted: Measurement = {
      rows: [{ name: 'p50' }],
      async run({ name }, _context, add) {
        if (name === 'this tree') interrupt.abort();
        context.signal.throwIfAborted();
        add('p50', 1);
      },
    };
    const columns = await measureSides(sides, { first: interrupted, second: interrupted }, 1, context, silent);
    expect(columns.map(({ values }) => values.size)).to.deep.equal([1, 0]);
    expect(columns.map(({ reasons }) => reasons.size)).to.deep.equal([0, 0]);
  });
});

import { expect } from 'chai';
import { type Column, pairsTable, type Row } from './table.ts';

describe('The table of pairs', () => {
  const column = (name: string, values: Record<string, number[]>, reasons: Record<string, string> = {}): Column => ({
    name,
    values: new Map(Object.entries(values)),
    reasons: new Map(Object.entries(reasons)),
  });
  const rows: Row[] = [
    { name: 'p50, ms', target: { max: 5 } },
    { name: 'jobs/s', target: { min: 300 } },
    { name: 'MB' },
  ];

  it('shows the median of each side with its range, this tree divided by each commit, and whether the target is met', () => {
    const before = column('a1df491', { 'p50, ms': [4, 2, 3], 'jobs/s': [400], MB: [117] });
    const then = column('ae58b3c', { 'p50, ms': [12, 12, 12], 'jobs/s': [200], MB: [189] });
    const own = column('this tree', { 'p50, ms': [6], 'jobs/s': [1000, 1100], MB: [94.5] });
    expect(pairsTable(rows, [before, then], own).split('\n')).to.deep.equal([
      '| Same machine, one run | a1df491 | ae58b3c | this tree | ÷ a1df491 | ÷ ae58b3c | To reach | Met |',
      '|---|---:|---:|---:|---:|---:|---:|---|',
      '| p50, ms | 3 (2–4) | 12 | 6 | 2 | 0.5 | ≤ 5 | **no** |',
      '| jobs/s | 400 | 200 | 1,100 (1,000–1,100) | 2.75 | 5.5 | ≥ 300 | yes |',
      '| MB | 117 | 189 | 94.5 | 0.81 | 0.5 |  |  |',
    ]);
  });

  it('has a dash and a reason, each once, where a side has no figure', () => {
    const reason = 'the bench shell ended with 1';
    const commit = column('a1df491', { MB: [0] }, { 'p50, ms': reason, 'jobs/s': reason });
    const own = column('this tree', { 'jobs/s': [1], MB: [2] });
    expect(pairsTable(rows, [commit], own).split('\n').slice(2)).to.deep.equal([
      '| p50, ms | – (1) | – (2) | – | ≤ 5 |  |',
      '| jobs/s | – (1) | 1 | – | ≥ 300 | **no** |',
      '| MB | 0 | 2 | – |  |  |',
      '',
      '1. a1df491: the bench shell ended with 1',
      '2. this tree: the run was interrupted',
    ]);
  });
});

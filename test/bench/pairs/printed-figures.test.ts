import { expect } from 'chai';
import { readPrintedFigures } from './printed-figures.ts';

describe('Reading what a bench has printed', () => {
  const line = (name: string, value: string, unit: string) => `  ${name.padEnd(88)} ${value.padStart(12)} ${unit}`;
  const olderLine = (name: string, value: string, unit: string) => `${name.padEnd(90)} ${value.padStart(12)} ${unit}`;

  it('finds each figure by its name, and an indented one by that of the figure above it too', () => {
    const printed = [
      'AMD EPYC, 2 cores, Node 24.21.0',
      '',
      'shell: shell job true',
      line('SQLite FULL, one at a time, p50', '9.71', 'ms'),
      line('   baseline: bare spawn, p50', '2.1', 'ms'),
      line('   ratio', '4.62', '×'),
      line('SQLite FULL, 200 at once', '306', 'jobs/s'),
      line('   vs. it: 200 bare spawns at once', '1,545', 'jobs/s'),
      line('   ratio of time', '1.78', '×'),
    ].join('\n');
    expect([...readPrintedFigures(printed)]).to.deep.equal([
      ['SQLite FULL, one at a time, p50', 9.71],
      ['SQLite FULL, one at a time, p50 › baseline: bare spawn, p50', 2.1],
      ['SQLite FULL, one at a time, p50 › ratio', 4.62],
      ['SQLite FULL, 200 at once', 306],
      ['SQLite FULL, 200 at once › vs. it: 200 bare spawns at once', 1545],
      ['SQLite FULL, 200 at once › ratio of time', 1.78],
    ]);
  });

  it('reads lines that begin with the title of the bench, as lines of a1df491 do, and passes over their Markdown table', () => {
    const printed = [
      'AMD EPYC, 2 cores, Node 24.21.0',
      '',
      olderLine('1,000 RunTemplates due at one instant: SQLite FULL, last one started, in-process', '331', 'ms'),
      olderLine('1,000 RunTemplates due at one instant:    native beside bare', '0.77', '×'),
      '| Figure | Measured | Target | Met |',
      '|---|---:|---:|---|',
      '| 1,000 RunTemplates due at one instant: SQLite FULL, last one started, in-process | 331 ms | ≤ 1,000 ms | yes |',
    ].join('\n');
    expect([...readPrintedFigures(printed)]).to.deep.equal([
      ['SQLite FULL, last one started, in-process', 331],
      ['SQLite FULL, last one started, in-process › native beside bare', 0.77],
    ]);
  });

  it('reads a figure without a unit, and one whose name leaves no room for padding', () => {
    const long = `${'a long name '.repeat(8)}ends`;
    expect([...readPrintedFigures(`${line('requests', '12,345', '')}\n${line(long, '7', 's')}`)]).to.deep.equal([
      ['requests', 12_345],
      [long, 7],
    ]);
  });
});

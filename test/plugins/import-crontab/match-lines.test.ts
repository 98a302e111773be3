import { expect } from 'chai';
import fc from 'fast-check';
import { type FormerLine, matchLines } from '../../../plugins/import-crontab/sync/match-lines.ts';

/** A line such as `0 3: backup --all`: times, and a command, whose first word is its program. */
function lineOf(text: string, isInFile = true): FormerLine & { readonly text: string } {
  const [schedule, command] = text.split(': ') as [string, string];
  return { text, content: text, schedule, command, program: command.split(' ')[0] as string, isInFile };
}

/** What became of the lines of a file: `old -> new`, `- old` or `+ new`. */
function changes(former: readonly string[], lines: readonly string[], lost: readonly string[] = []): string[] {
  const olds = [...former.map((text) => lineOf(text)), ...lost.map((text) => lineOf(text, false))];
  const news = lines.map((text) => lineOf(text));
  const { former: formerOf, removed } = matchLines(olds, news);
  const kept = news.flatMap((line) => {
    const was = formerOf.get(line)?.text;
    if (was === undefined) return [`+ ${line.text}`];
    return was === line.text ? [] : [`${was} -> ${line.text}`];
  });
  return [...kept, ...removed.map(({ text }) => `- ${text}`)];
}

describe('Lines of an edited crontab', () => {
  const file = ['0 1: backup', '0 2: report', '0 3: rotate'];

  it('are the same where nothing was edited, and wherever they have moved', () => {
    expect(changes(file, file)).to.deep.equal([]);
    expect(changes(file, file.toReversed())).to.deep.equal([]);
  });

  it('are added, and removed, while the others stay', () => {
    expect(changes(file, ['0 0: first', ...file])).to.deep.equal(['+ 0 0: first']);
    expect(changes(file, file.slice(1))).to.deep.equal(['- 0 1: backup']);
  });

  it('keep their identity with other times, other arguments, or another program at the same times', () => {
    expect(changes(file, ['0 1: backup', '30 2: report', '0 3: rotate'])).to.deep.equal([
      '0 2: report -> 30 2: report',
    ]);
    expect(changes(file, ['15 1: backup --all', ...file.slice(1)])).to.deep.equal([
      '0 1: backup -> 15 1: backup --all',
    ]);
    expect(changes(file, ['0 1: dump', ...file.slice(1)])).to.deep.equal(['0 1: backup -> 0 1: dump']);
  });

  it('are others where another program runs at other times in their place', () => {
    expect(changes(file, ['0 1: backup', '45 5: mail', '0 3: rotate'])).to.deep.equal([
      '+ 45 5: mail',
      '- 0 2: report',
    ]);
  });

  it('are distinguished by their commands where several were edited in one place', () => {
    expect(changes(file, ['10 3: rotate', '10 1: backup', '10 2: report'])).to.have.members([
      '0 3: rotate -> 10 3: rotate',
      '0 1: backup -> 10 1: backup',
      '0 2: report -> 10 2: report',
    ]);
  });

  it('are those at the same times where several run one program', () => {
    expect(changes(['0 1: a x', '0 2: a y'], ['0 2: a z'])).to.deep.equal(['0 2: a y -> 0 2: a z', '- 0 1: a x']);
    const former = [lineOf('0 1: c'), lineOf('0 2: c')];
    const line = { ...lineOf('0 2: c'), content: 'with a variable' };
    expect(matchLines(former, [line]).former.get(line)).to.equal(former[1]);
  });

  it('that have moved are not taken for edited ones', () => {
    expect(changes(['0 1: backup', '0 1: report'], ['0 1: report', '0 1: dump'])).to.deep.equal([
      '+ 0 1: dump',
      '- 0 1: backup',
    ]);
  });

  it('that are equal are one each', () => {
    expect(changes(['0 1: backup'], ['0 1: backup', '0 1: backup'])).to.deep.equal(['+ 0 1: backup']);
    expect(changes(['0 1: backup', '0 1: backup'], ['0 1: backup'])).to.deep.equal(['- 0 1: backup']);
  });

  it('that come back are those that were removed, and others are not', () => {
    expect(changes(file, [...file, '0 9: gone'], ['0 9: gone'])).to.deep.equal([]);
    expect(changes(file, [...file, '5 9: gone'], ['0 9: gone'])).to.deep.equal(['+ 5 9: gone']);
  });

  const line = fc.tuple(fc.constantFrom('0 1', '0 2', '*/5 *'), fc.constantFrom('a', 'b x', 'b y', 'c'));
  const lines = fc.array(
    line.map(([schedule, command]) => `${schedule}: ${command}`),
    { maxLength: 12 },
  );

  it('are each matched once at most, and equal ones as often as both have them', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const olds = before.map((text) => lineOf(text));
        const news = after.map((text) => lineOf(text));
        const { former, removed } = matchLines(olds, news);
        const used = [...former.values()];
        expect(new Set(used).size).to.equal(used.length);
        expect([...used, ...removed]).to.have.members(olds);
        for (const text of new Set([...before, ...after])) {
          const count = (all: readonly string[]) => all.filter((each) => each === text).length;
          const equal = [...former].filter(([is, was]) => is.text === text && was.text === text).length;
          expect(equal, text).to.equal(Math.min(count(before), count(after)));
        }
      }),
    );
  });
});

import { diffArrays } from 'diff';
import type { ComparedLine } from '../lines/compared-line.ts';

/** A line as it was, which may be out of the file since. */
export interface FormerLine extends ComparedLine {
  readonly isInFile: boolean;
}

export interface LineMatches<O, N> {
  /** For each line that a former one became, that one. */
  readonly former: ReadonlyMap<N, O>;
  /** The lines of the file that no line has become. */
  readonly removed: readonly O[];
}

/**
 * Finds out which former line each line of an edited crontab was, as a person who reads the difference would: equal lines are
 * the same, wherever they stand. A line that takes the place of another one is that one, edited, if it has the same command, runs
 * the same program or runs at the same times; and so is one with the same command elsewhere.
 * @param former in the order in which they were in the file.
 */
export function matchLines<O extends FormerLine, N extends ComparedLine>(
  former: readonly O[],
  lines: readonly N[],
): LineMatches<O, N> {
  const matched = new Map<N, O>();
  const taken = new Set<O>();
  const match = (was: O, is: N) => {
    matched.set(is, was);
    taken.add(was);
  };
  const pair = (olds: readonly O[], news: readonly N[], isSame: (was: O, is: N) => boolean) => {
    for (const is of news) {
      if (matched.has(is)) continue;
      const was = olds.find((each) => !taken.has(each) && isSame(each, is));
      if (was) match(was, is);
    }
  };
  const inFile = former.filter(({ isInFile }) => isInFile);
  const hunks: { olds: readonly O[]; news: readonly N[] }[] = [];
  let [oldAt, newAt] = [0, 0];
  let hunk: { olds: O[]; news: N[] } = { olds: [], news: [] };
  const contents = (all: readonly ComparedLine[]) => all.map(({ content }) => content);
  for (const { added, removed, count } of differences(contents(inFile), contents(lines))) {
    const [olds, news] = [inFile.slice(oldAt, oldAt + count), lines.slice(newAt, newAt + count)];
    if (!added) oldAt += count;
    if (!removed) newAt += count;
    if (removed) hunk.olds.push(...olds);
    else if (added) hunk.news.push(...news);
    else {
      hunks.push(hunk);
      hunk = { olds: [], news: [] };
      news.forEach((is, index) => {
        match(olds[index] as O, is);
      });
    }
  }
  hunks.push(hunk);
  // Those that moved first, so that none of them is taken for an edited one.
  const byContent = Map.groupBy(former, ({ content }) => content);
  for (const is of lines) pair(byContent.get(is.content) ?? [], [is], () => true);
  for (const { olds, news } of hunks) {
    pair(olds, news, (was, is) => was.command === is.command && was.schedule === is.schedule);
    pair(olds, news, (was, is) => was.program === is.program && was.schedule === is.schedule);
    pair(olds, news, (was, is) => was.command === is.command);
    pair(olds, news, (was, is) => was.program === is.program);
    pair(olds, news, (was, is) => was.schedule === is.schedule);
  }
  const byCommand = Map.groupBy(inFile, ({ command }) => command);
  for (const is of lines) pair(byCommand.get(is.command) ?? [], [is], () => true);
  return { former: matched, removed: inFile.filter((was) => !taken.has(was)) };
}

/** How many lines may differ for both versions to be compared: the time that it takes grows by the square. */
const maxDifferences = 2000;

/** Compares two versions; where too much differs, all is taken for replaced. */
function differences(former: readonly string[], lines: readonly string[]) {
  const replaced = [
    { removed: true, added: false, count: former.length },
    { removed: false, added: true, count: lines.length },
  ];
  return diffArrays([...former], [...lines], { maxEditLength: maxDifferences }) ?? replaced;
}

import { diffArrays } from 'diff';
import type { OutputLog } from './output-log.ts';

/** A line of a comparison, or in its place how many equal ones are left out. */
export type OutputDifference =
  | { readonly kind: 'same' | 'before' | 'after'; readonly before: number; readonly after: number }
  | { readonly kind: 'gap'; readonly count: number };

/** The most lines of each side. */
const maxLines = 50_000;
/** How many equal lines stand around each difference. */
const context = 3;
/** How long a comparison may take, in milliseconds: outputs that have little in common take the longest. */
const maxTime = 5000;

/** What changes with each run and says nothing: dates, times and how long something took. */
const passing = /\d{4}-\d\d-\d\d|\d{1,2}:\d\d:\d\d(?:[.,]\d+)?Z?|\d+(?:\.\d+)? ?m?s\b/g;

const linesOf = (log: OutputLog) =>
  Array.from({ length: log.count }, (_, index) => log.line(index)?.text.replace(passing, '#') ?? '');

/**
 * Compares two outputs line by line; dates, times and durations are left out of it. The page stays usable meanwhile.
 * @returns null where they are too long, or too different.
 */
export async function compareLines(before: OutputLog, after: OutputLog): Promise<readonly OutputDifference[] | null> {
  if (Math.max(before.count, after.count) > maxLines) return null;
  const changes = await new Promise<ReturnType<typeof diffArrays<string>> | undefined>((resolve) => {
    diffArrays(linesOf(before), linesOf(after), { timeout: maxTime, callback: resolve });
  });
  if (!changes) return null;
  const lines: OutputDifference[] = [];
  let [one, other] = [0, 0];
  for (const [index, { added, removed, count }] of changes.entries()) {
    const kind = added ? 'after' : removed ? 'before' : 'same';
    const head = index === 0 ? 0 : context;
    const tail = index === changes.length - 1 ? 0 : context;
    const left = kind === 'same' ? count - head - tail : 0;
    for (let line = 0; line < count; line++) {
      if (left > 1 && line >= head && line < head + left) {
        if (line === head) lines.push({ kind: 'gap', count: left });
      } else lines.push({ kind, before: one, after: other });
      if (kind !== 'after') one++;
      if (kind !== 'before') other++;
    }
  }
  return lines;
}

import { styleText } from 'node:util';
import type { Io } from '../io.ts';

type Style = 'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'blue';

/** Whether what a command prints has colours: at a terminal that has them, unless NO_COLOR is set (no-color.org). */
export function hasColours({ screen, environment }: Pick<Io, 'screen' | 'environment'>): boolean {
  return screen && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb';
}

/** Returns a text in a style, and without `colours` as it is. Control characters must have been escaped before. */
export function paint(colours: boolean, style: Style, text: string): string {
  return colours && text !== '' ? styleText(style, text, { validateStream: false }) : text;
}

/** The columns whose words tell how well something is. */
const judging = new Set(['state', 'result', 'problem', 'met']);

const words: readonly (readonly [Style, readonly string[]])[] = [
  ['green', ['fulfilled', 'succeeded', 'delivered', 'arrived', 'done', 'ok', 'yes', 'added', 'restored', 'create']],
  ['yellow', ['fulfilled late', 'late', 'overdue', 'will be late', 'warn', 'changed', 'update', 'deactivate']],
  ['red', ['failed', 'missed', 'lost', 'timed out', 'set aside', 'not scheduled', 'will not run', 'fail', 'NO']],
  ['red', ['removed', 'delete', 'FAILED']],
  ['blue', ['running']],
  ['dim', ['cancelled', 'skipped']],
];
const styles = new Map(words.flatMap(([style, list]) => list.map((word) => [word, style] as const)));

/** Returns the word for a state, an outcome or a change in its colour; spaces around it do not matter. */
export function paintWord(colours: boolean, word: string): string {
  const style = styles.get(word.trim().replaceAll('_', ' '));
  return style ? paint(colours, style, word) : word;
}

/** Returns the text of a cell, in colour where its column tells how well something is. */
export function paintCell(colours: boolean, column: string, text: string): string {
  return judging.has(column) ? paintWord(colours, text) : text;
}

import { memoized } from '../registry/memoized.ts';
import type { TableDescription } from '../store/table.ts';

/**
 * About how many characters a page of a list may have where its rows may be large: a larger one would hold up every other
 * request while a format writes it.
 */
export const maxPageText = 1024 * 1024;
/** How many rows are in memory of each list that is read as a whole, unless they are large. */
export const streamPageSize = 200;
/** The length from which a text counts as long. */
const longText = 65_535;

/** How many rows of a list are read at once. */
export interface RowsAtOnce {
  /** Before it is known how large they are. */
  readonly first: number;
  /** Because others were small: the next ones may be large. */
  readonly further: number;
}

/** Returns how many rows of a list may be read at once, because they may be large; Infinity = all of a page. */
export const rowsAtOnce: (description: TableDescription) => RowsAtOnce = memoized(({ columns }) => {
  const listed = columns.filter(({ detailOnly }) => !detailOnly);
  if (listed.some(({ kind }) => kind === 'json')) return { first: 1, further: 8 };
  const hasLongText = listed.some(({ kind, max = 0 }) => kind === 'text' && max >= longText);
  return hasLongText ? { first: 20, further: 100 } : { first: Infinity, further: Infinity };
});

/** Returns how many more rows a page may have, if they are as large on average as those that it has; 0 = it is full. */
export function furtherRows(count: number, size: number): number {
  return size >= maxPageText ? 0 : Math.ceil(((maxPageText - size) * count) / size);
}

import { memoized } from '../registry/memoized.ts';
import type { TableDescription } from '../store/table.ts';

/** About how many characters a page of a list may have: one that is larger would hold up every other request. */
const maxPageText = 4 * 1024 * 1024;
/** The length from which a text counts as long. */
const longText = 65_535;

/** Returns how many rows of a list may be read before it is known how large they are. */
export const firstRows: (description: TableDescription) => number = memoized(({ columns }) => {
  const listed = columns.filter(({ detailOnly }) => !detailOnly);
  if (listed.some(({ kind }) => kind === 'json')) return 20;
  return listed.some(({ kind, max = 0 }) => kind === 'text' && max >= longText) ? 100 : Infinity;
});

/** Returns how many more rows a page may have besides these, if the others are as large on average; 0 = it is full. */
export function furtherRows(rows: readonly object[]): number {
  const size = textSize(rows);
  return size >= maxPageText ? 0 : Math.ceil(((maxPageText - size) * rows.length) / size);
}

/** Counts the characters of all texts and keys in plain data; a few more for any other value. */
function textSize(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let size = 8;
  for (const [key, item] of Object.entries(value)) size += key.length + textSize(item);
  return size;
}

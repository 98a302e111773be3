import stringWidth from 'string-width';

/** A column with the texts of its cells. */
interface Column {
  readonly heading: string;
  readonly cells: readonly string[];
  /** Whether no cell may be truncated. */
  readonly isRigid: boolean;
}

/** A column that stays, with the width to which its cells are truncated; null = as wide as they are. */
export interface FittedColumn {
  readonly heading: string;
  readonly width: number | null;
}

/** Rather than truncate a column to less, others are left out. */
const readableWidth = 14;
/** No column is truncated to less. */
const minWidth = 8;
/** The space between two columns. */
const gap = 2;
/** Times, numbers and flags: a part of one would mislead. */
const rigidCell = /^(?:[\d.]*|true|false|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S*)$/;

/**
 * Fits the columns of a table into a terminal. Texts are truncated, the widest first, and where they would get too short, columns are
 * left out.
 * @param secondary the headings of those that may be left out, the least needed first.
 */
export function fitColumns(
  columns: readonly Column[],
  { width, secondary }: { readonly width: number; readonly secondary: readonly string[] },
): FittedColumn[] {
  const left = [...secondary];
  let kept = columns.map(({ heading, cells, isRigid }) => ({
    heading,
    natural: Math.max(...[heading, ...cells].map((text) => stringWidth(text))),
    isRigid: isRigid || cells.every((cell) => rigidCell.test(cell)),
  }));
  for (;;) {
    const room = width - gap * (kept.length - 1) - sumOf(kept.filter(({ isRigid }) => isRigid));
    const share = shareOf(
      kept.filter(({ isRigid }) => !isRigid),
      room,
    );
    if (share >= readableWidth || left.length === 0) {
      const widest = Math.max(share, minWidth);
      return kept.map(({ heading, natural, isRigid }) => ({
        heading,
        width: isRigid || natural <= widest ? null : Math.max(widest, stringWidth(heading)),
      }));
    }
    const out = left.shift();
    kept = kept.filter(({ heading }) => heading !== out);
  }
}

/** Truncates a text to a width, marked by `…`: by whole characters as people see them, because an emoji may have many parts. */
export function truncateToWidth(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let shown = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(shown + segment) >= width) break;
    shown += segment;
  }
  return `${shown}…`;
}

interface Measured {
  readonly natural: number;
}

function sumOf(columns: readonly Measured[]): number {
  return columns.reduce((sum, { natural }) => sum + natural, 0);
}

/** Returns the width to which the widest columns have to be truncated so that all fit; Infinity = they fit as they are. */
function shareOf(columns: readonly Measured[], room: number): number {
  if (sumOf(columns) <= room) return Infinity;
  const naturals = columns.map(({ natural }) => natural).sort((one, other) => one - other);
  let remaining = room;
  for (const [index, natural] of naturals.entries()) {
    const share = Math.floor(remaining / (naturals.length - index));
    if (natural > share) return share;
    remaining -= natural;
  }
  return 0;
}

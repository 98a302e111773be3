import type { PictureRow } from '../picture/marks.ts';

/** The measures of a row, in CSS pixels: on a narrow screen its name stands above what is drawn. */
export interface Measures {
  readonly row: number;
  readonly group: number;
  /** The width of the names beside the picture. */
  readonly names: number;
  /** Where in a row what is drawn has its middle. */
  readonly middle: number;
}

/** Where names stand beside the picture. @param width of both. */
export function wideMeasures(width: number): Measures {
  return { row: 34, group: 40, names: Math.min(520, Math.max(312, Math.round(width * 0.28))), middle: 17 };
}

export const narrow: Measures = { row: 52, group: 38, names: 0, middle: 37 };

/** A row of the picture, or the company above its rows. */
export type Item = { readonly top: number } & (
  | { readonly row: PictureRow; readonly company: null }
  | { readonly row: null; readonly company: string }
);

export interface Layout {
  readonly items: readonly Item[];
  readonly height: number;
  readonly measures: Measures;
}

/** Lays out rows beneath each other, with the name of each company above its own if there are several. */
export function layoutOf(rows: readonly PictureRow[], measures: Measures): Layout {
  const items: Item[] = [];
  let top = 0;
  const hasGroups = rows.some(({ company_id }) => company_id !== rows[0]?.company_id);
  let last: number | null = null;
  for (const row of rows) {
    if (hasGroups && row.company_id !== last) {
      items.push({ top, company: row.company, row: null });
      top += measures.group;
    }
    last = row.company_id;
    items.push({ top, row, company: null });
    top += measures.row;
  }
  return { items, height: top, measures };
}

/** Returns the company of the row at a height; null where its name stands there itself, or above no row. */
export function companyAt(layout: Layout, y: number): string | null {
  const hasNames = layout.items[0]?.row === null;
  return hasNames && y > 0 ? (layout.items[itemAt(layout, y)]?.row?.company ?? null) : null;
}

/** Finds the item at a height, in CSS pixels from the top; the first or last one where there is none. */
export function itemAt({ items }: Layout, y: number): number {
  let [low, high] = [0, items.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((items[middle]?.top ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

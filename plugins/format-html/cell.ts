import type { Tone } from './tones.ts';
import { visibleControls } from './visible-controls.ts';

export type Row = Readonly<Record<string, unknown>>;

export interface TableCell {
  readonly kind: 'table';
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** The presentation of a value; the templates render each kind. */
export type Cell =
  | { readonly kind: 'none' }
  | { readonly kind: 'text' | 'number' | 'long' | 'colour' | 'picture'; readonly text: string }
  | { readonly kind: 'time'; readonly iso: string; readonly date: string; readonly time: string }
  | { readonly kind: 'state'; readonly text: string; readonly tone: Tone }
  | { readonly kind: 'link'; readonly text: string; readonly href: string; readonly outside: boolean }
  | { readonly kind: 'items'; readonly items: readonly Cell[] }
  | { readonly kind: 'map'; readonly members: readonly { readonly name: string; readonly cells: readonly Cell[] }[] }
  | TableCell
  | { readonly kind: 'list'; readonly head: object; readonly body: object; readonly end: object };

/** The name of a record for people; null where it has none. */
export function nameOf(row: Row): string | null {
  const named = ['name', 'login', 'code']
    .map((key) => row[key])
    .find((value) => typeof value === 'string' && value !== '');
  return typeof named === 'string' ? visibleControls(named) : null;
}

import type { FieldRow } from '@horarium/core/plugin';
import { type Cell, isObject, type Row, type TableCell } from './cell.ts';
import { mailAddress, pageAddress, pictureSource } from './safe-links.ts';
import { toneOf } from './tones.ts';
import { visibleControls } from './visible-controls.ts';

/** Deeper data is shown as JSON. */
const maxDepth = 5;
const maxInline = 160;

/** A text by what its field holds, or by what it looks like. */
export function textCell(name: string, given: string, field?: FieldRow): Cell {
  const text = visibleControls(given);
  if (given === '') return { kind: 'none' };
  const tone = field?.kind === 'choice' || /^(?:state|status|severity)$/.test(name) ? toneOf(given) : undefined;
  if (tone) return { kind: 'state', text, tone };
  const href = field?.format === 'address' ? pageAddress(given) : field?.format === 'email' ? mailAddress(given) : null;
  if (href) return { kind: 'link', text, href, outside: true };
  if (field?.format === 'image' && pictureSource(given)) return { kind: 'picture', text: given };
  if (field?.format === 'colour' && /^#[0-9a-f]{6}$/i.test(given)) return { kind: 'colour', text };
  return plainText(text);
}

const instant = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})\.\d{3}Z$/;

function plainText(text: string): Cell {
  const [iso, date, time] = instant.exec(text) ?? [];
  if (iso !== undefined) return { kind: 'time', iso, date: date as string, time: time as string };
  return { kind: text.length > maxInline || /[\r\n]/.test(text) ? 'long' : 'text', text };
}

/** Data without a description, by its type. */
export function dataCell(value: unknown, depth: number): Cell {
  if (value === null || value === undefined || value === '') return { kind: 'none' };
  if (typeof value === 'string') return plainText(visibleControls(value));
  if (typeof value === 'number') return { kind: 'number', text: numberText(value) };
  if (typeof value === 'boolean') return { kind: 'text', text: value ? 'yes' : 'no' };
  if (Object.keys(value).length === 0) return { kind: 'none' };
  if (depth >= maxDepth) return { kind: 'long', text: visibleControls(JSON.stringify(value, null, 2)) };
  if (!Array.isArray(value)) return mapCell(value as Row, depth);
  if (value.every(isObject)) return tableCell(value, depth);
  return { kind: 'items', items: value.map((item) => dataCell(item, depth + 1)) };
}

/** Rounded to four decimals. */
function numberText(value: number): string {
  const short = Number(value.toFixed(4));
  return String(short === 0 ? value : short);
}

function mapCell(value: Row, depth: number): Cell {
  const inside = Object.values(value);
  // Objects of one kind compare best side by side.
  if (inside.every(isObject) && isEven(inside)) return matrixCell(Object.keys(value), inside, depth);
  const members = Object.entries(value).map(([name, member]) => ({
    name: visibleControls(name),
    cells: [dataCell(member, depth + 1)],
  }));
  return { kind: 'map', members };
}

function tableCell(rows: readonly Row[], depth: number): TableCell {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = rows.map((row) =>
    names.map((name) =>
      typeof row[name] === 'string' ? textCell(name, row[name]) : dataCell(own(row, name), depth + 1),
    ),
  );
  return { kind: 'table', columns: names.map(visibleControls), rows: cells };
}

/** Whether the objects have so few members that each can be a column. */
function isEven(objects: readonly Row[]): boolean {
  const names = new Set(objects.flatMap((each) => Object.keys(each)));
  return names.size > 0 && names.size <= 7;
}

function matrixCell(names: readonly string[], rows: readonly Row[], depth: number): Cell {
  const inner = tableCell(rows, depth);
  const named = inner.rows.map((cells, at) => [
    { kind: 'text', text: visibleControls(names[at] as string) } as const,
    ...cells,
  ]);
  return { ...inner, columns: ['', ...inner.columns], rows: named };
}

/** `[before, after]` of each field. */
export function changesCell(changes: Row): Cell {
  const rows = Object.entries(changes).map(([name, pair]) => {
    const [before, after] = Array.isArray(pair) ? pair : [null, pair];
    return [{ kind: 'text', text: visibleControls(name) } as const, dataCell(before, 1), dataCell(after, 1)];
  });
  return { kind: 'table', columns: ['field', 'before', 'after'], rows };
}

/** Changed fields that a list names. */
const maxNamed = 5;

/** The names of the changed fields. */
export function changedCell(changes: Row): Cell {
  const names = Object.keys(changes);
  const named = names.slice(0, maxNamed).map(visibleControls).join(', ');
  if (names.length === 0) return { kind: 'none' };
  return { kind: 'text', text: names.length > maxNamed ? `${named} and ${names.length - maxNamed} more` : named };
}

function own(row: Row, name: string): unknown {
  return Object.hasOwn(row, name) ? row[name] : null;
}

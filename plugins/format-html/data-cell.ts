import { type FieldDescription, isPlainObject } from '@horarium/core/plugin';
import type { Cell, Row, TableCell } from './cell.ts';
import { mailAddress, pageAddress, pictureSource } from './safe-links.ts';
import { toneOf } from './tones.ts';
import { visibleControls } from './visible-controls.ts';

/** The maximum depth of nested tables; deeper data is shown as JSON. */
const maxDepth = 5;
/** The maximum characters of a text that is shown within its row; a longer one gets a block of its own. */
const maxInline = 160;

/** Builds the cell of a text, by the kind and format of its field where it has one. */
export function textCell(name: string, value: string, field?: FieldDescription): Cell {
  const text = visibleControls(value);
  if (value === '') return { kind: 'none' };
  const tone = field?.kind === 'choice' || /^(?:state|status|severity)$/.test(name) ? toneOf(value) : undefined;
  if (tone) return { kind: 'state', text, tone };
  const href = field?.format === 'address' ? pageAddress(value) : field?.format === 'email' ? mailAddress(value) : null;
  if (href) return { kind: 'link', text, href, outside: true };
  if (field?.format === 'image' && pictureSource(value)) return { kind: 'picture', text: value };
  if (field?.format === 'colour' && /^#[0-9a-f]{6}$/i.test(value)) return { kind: 'colour', text };
  return plainText(text);
}

const instant = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})\.\d{3}Z$/;

function plainText(text: string): Cell {
  const [iso, date, time] = instant.exec(text) ?? [];
  if (iso !== undefined) return { kind: 'time', iso, date: date as string, time: time as string };
  return { kind: text.length > maxInline || /[\r\n]/.test(text) ? 'long' : 'text', text };
}

/** Builds the cell of a value without a field, by its type. */
export function dataCell(value: unknown, depth: number): Cell {
  if (value === null || value === undefined || value === '') return { kind: 'none' };
  if (typeof value === 'string') return plainText(visibleControls(value));
  if (typeof value === 'number') return { kind: 'number', text: numberText(value) };
  if (typeof value === 'boolean') return { kind: 'text', text: value ? 'yes' : 'no' };
  if (Object.keys(value).length === 0) return { kind: 'none' };
  if (depth >= maxDepth) return { kind: 'long', text: visibleControls(JSON.stringify(value, null, 2)) };
  if (!Array.isArray(value)) return mapCell(value as Row, depth);
  if (value.every(isPlainObject)) return tableCell(value, depth);
  return { kind: 'items', items: value.map((item) => dataCell(item, depth + 1)) };
}

/** Writes a number, rounded to four decimals. */
function numberText(value: number): string {
  const short = Number(value.toFixed(4));
  return String(short === 0 ? value : short);
}

function mapCell(value: Row, depth: number): Cell {
  const inside = Object.values(value);
  // Objects with the same few members are shown as the rows of one table, so that they can be compared.
  if (inside.every(isPlainObject) && fitColumns(inside)) return matrixCell(Object.keys(value), inside, depth);
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

/** Whether the objects have so few different members that each can be a column. */
function fitColumns(objects: readonly Row[]): boolean {
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

/** Builds a table of the changes of an audit entry: each field with its value before and after. */
export function changesCell(changes: Row): Cell {
  const rows = Object.entries(changes).map(([name, pair]) => {
    const [before, after] = Array.isArray(pair) ? pair : [null, pair];
    return [{ kind: 'text', text: visibleControls(name) } as const, dataCell(before, 1), dataCell(after, 1)];
  });
  return { kind: 'table', columns: ['field', 'before', 'after'], rows };
}

/** The maximum number of changed fields that a list names. */
const maxNamed = 5;

/** Builds the cell that names the changed fields of an audit entry. */
export function changedFieldsCell(changes: Row): Cell {
  const names = Object.keys(changes);
  const named = names.slice(0, maxNamed).map(visibleControls).join(', ');
  if (names.length === 0) return { kind: 'none' };
  return { kind: 'text', text: names.length > maxNamed ? `${named} and ${names.length - maxNamed} more` : named };
}

function own(row: Row, name: string): unknown {
  return Object.hasOwn(row, name) ? row[name] : null;
}

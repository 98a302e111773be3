import type { FormatContext } from '@horarium/core/plugin';
import { type Cell, nameOf, type Row } from './cell.ts';
import { Cells } from './cells.ts';
import { dataCell } from './data-cell.ts';
import { innerList } from './list-page.ts';
import { beginPage, endPage } from './page.ts';
import { fill } from './templates.ts';
import { visibleControls } from './visible-controls.ts';

/** The fields that are shown last, because they matter least. */
const last = ['created_at', 'updated_at'];

/** Writes the page of one record: a table of its fields, then its long texts and inner lists. */
export function itemPage(row: Row, context: FormatContext): string {
  const { embedded = {}, links } = context;
  const cells = new Cells(context, links);
  const names = Object.keys(row);
  const order = [...names.filter((name) => !last.includes(name)), ...last.filter((name) => names.includes(name))];
  const members = order.map((name) => {
    const value = row[name];
    if (name === 'id') return { name, cell: dataCell(value, 0) };
    const shape = Object.hasOwn(embedded, name) ? embedded[name] : undefined;
    const cell =
      shape && Array.isArray(value) && value.length > 0 ? innerList(value, shape, links) : cells.of(row, name);
    return { name: visibleControls(name), cell };
  });
  const heading = headingOf(row, context);
  const content = {
    related: links?.related ?? [],
    members: members.filter(({ cell }) => cell.kind !== 'none' && !isPart(cell)),
    parts: members.filter(({ cell }) => isPart(cell)),
    unset: members.filter(({ cell }) => cell.kind === 'none').map(({ name }) => name),
  };
  const state = Object.hasOwn(row, 'state') ? cells.of(row, 'state') : undefined;
  const warnings = fill('@warnings', { warnings: [...new Set(context.warnings)].map(visibleControls) });
  return beginPage({ ...heading, state }, context) + warnings + fill('@record', content) + endPage(true);
}

/** Writes the page of an error: its sentence, then its other members. */
export function problemPage(problem: Row, context: FormatContext): string {
  const { status, title, detail, type: _type, ...rest } = problem;
  const cells = new Cells(context, null);
  const members = Object.keys(rest).map((name) => ({ name: visibleControls(name), cell: cells.of(rest, name) }));
  const lead = fill('@lead', { text: detail });
  const content = { related: [], members, parts: [], unset: [] };
  return (
    beginPage({ text: String(title), aside: String(status) }, context) +
    lead +
    fill('@record', content) +
    endPage(false)
  );
}

/** The heading of a record: its name, followed by its resource and id. */
function headingOf(row: Row, { name }: FormatContext): { text: string; aside?: string } {
  const id = typeof row['id'] === 'number' ? `${name} ${row['id']}` : name;
  const recordName = nameOf(row);
  return recordName === null ? { text: id } : { text: recordName, aside: id };
}

function isPart(cell: Cell): boolean {
  return cell.kind === 'long' || cell.kind === 'list';
}

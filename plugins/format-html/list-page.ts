import { type FormatContext, isPlainObject, type Link, type ListLinks, type RecordShape } from '@horarium/core/plugin';
import type { Cell, Row } from './cell.ts';
import { Cells } from './cells.ts';
import { beginPage, endPage } from './page.ts';
import { fill } from './templates.ts';
import { visibleControls } from './visible-controls.ts';

/** Writes the page of a list, from top to bottom, so that rows can be added while they are read. */
export class ListPage {
  readonly #context: FormatContext;
  readonly #table: ListTable;

  /** @param first the first rows of the list: their keys are the columns where the list has no summary fields. */
  constructor(first: readonly unknown[], context: FormatContext) {
    this.#context = context;
    this.#table = new ListTable(asRows(first), context, context.links?.list ?? null, context.links);
  }

  begin(shown: number | null): string {
    const { plural, name } = this.#context;
    const total = this.#context.links?.list?.total ?? (shown === null ? '' : String(shown));
    const part = shown !== null && String(shown) !== total ? `${shown} of ${total}` : total;
    return beginPage({ text: plural ?? name, aside: part }, this.#context) + fill('@list', this.#table.head());
  }

  rows(rows: readonly unknown[]): string {
    return fill('@rows', this.#table.body(asRows(rows)));
  }

  end(empty: boolean): string {
    return fill('@listEnd', { empty, pages: pageLinks(this.#context.links?.list ?? null) }) + endPage(true);
  }
}

/** Builds the cell for a list inside the page of a record. */
export function innerList(rows: readonly unknown[], shape: RecordShape, links: FormatContext['links']): Cell {
  const table = new ListTable(asRows(rows), shape, null, links);
  const end = { empty: rows.length === 0, pages: [] };
  return { kind: 'list', head: table.head(), body: table.body(asRows(rows)), end };
}

type ListShape = RecordShape & Pick<FormatContext, 'embedded'>;

class ListTable {
  readonly #first: readonly Row[];
  readonly #names: readonly string[];
  readonly #cells: Cells;
  readonly #links: ListLinks | null;

  constructor(first: readonly Row[], shape: ListShape, list: ListLinks | null, links: FormatContext['links']) {
    const keys = [...new Set(first.flatMap((row) => Object.keys(row)))];
    const known = first.length > 0 ? new Set(keys) : null;
    const summaryFields = shape.summaryFields && [...shape.summaryFields, ...Object.keys(shape.embedded ?? {})];
    this.#names = summaryFields?.filter((name) => known?.has(name) ?? true) ?? keys;
    this.#first = first;
    this.#cells = new Cells(shape, links);
    this.#links = list;
  }

  head(): object {
    const choices = this.#links ? this.#choices(this.#links) : [];
    const shown = new Set(choices.map(({ name }) => name));
    const set = this.#links ? filtersSet(this.#links).filter(({ name }) => !shown.has(name)) : [];
    return { columns: this.#names.map((name) => this.#column(name)), choices, set };
  }

  body(rows: readonly Row[]): object {
    const numeric = this.#names.map((name) => this.#isNumeric(name));
    return { numeric, rows: rows.map((row) => this.#names.map((name) => this.#cells.inList(row, name))) };
  }

  /** Whether a column is aligned to the right, so that its numbers can be compared; ids are not numbers to compare. */
  #isNumeric(name: string): boolean {
    if (/(^|_)id$/.test(name)) return false;
    const field = this.#cells.field(name);
    return field ? /^(?:integer|number)$/.test(field.kind) : this.#first.some((row) => typeof row[name] === 'number');
  }

  #column(name: string): object {
    const links = this.#links;
    const numeric = this.#isNumeric(name);
    if (!links?.orders.includes(name)) return { name: visibleControls(name), numeric };
    const order = links.query.get('order') ?? '-id';
    const sorted = order === name ? 'ascending' : order === `-${name}` ? 'descending' : undefined;
    return { name, numeric, sorted, href: links.with({ order: sorted === 'ascending' ? `-${name}` : name }) };
  }

  /** Fields with a few values that the list can be filtered by, each value a link. */
  #choices(links: ListLinks): { name: string; values: object[] }[] {
    return links.filters.flatMap((name) => {
      const field = this.#cells.field(name);
      const values = field?.kind === 'flag' ? ['true', 'false'] : field?.kind === 'choice' ? (field.values ?? []) : [];
      if (values.length === 0) return [];
      const chosen = links.query.get(name);
      const all = { name: 'all', href: links.with({ [name]: null }), chosen: chosen === undefined };
      const each = values.map((value) => ({
        name: field?.kind === 'flag' ? (value === 'true' ? 'yes' : 'no') : value,
        href: links.with({ [name]: value }),
        chosen: chosen === value,
      }));
      return [{ name, values: [all, ...each] }];
    });
  }
}

function filtersSet({ query, filters, with: changed }: ListLinks): { name: string; value: string; href: string }[] {
  return [...query]
    .filter(([name]) => filters.includes(name))
    .map(([name, value]) => ({ name, value: visibleControls(value), href: changed({ [name]: null }) }));
}

function pageLinks(links: ListLinks | null): (Link & { readonly rel?: string })[] {
  if (!links || (links.first === null && links.next === null)) return [];
  return [
    ...(links.first === null ? [] : [{ name: '← first page', href: links.first, rel: 'first' }]),
    ...(links.next === null ? [] : [{ name: 'next page →', href: links.next, rel: 'next' }]),
    { name: 'all on one page', href: links.with({ limit: 'all' }) },
  ];
}

function asRows(values: readonly unknown[]): Row[] {
  return values.map((value) => (isPlainObject(value) ? value : { value }));
}

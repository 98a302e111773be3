import { type Format, type FormatContext, isPlainObject } from '@horarium/core/plugin';
import { itemPage, problemPage } from './item-page.ts';
import { ListPage } from './list-page.ts';
import { pictureSource } from './safe-links.ts';
import { contentSecurityPolicy } from './style.ts';

/**
 * HTML for people: a list is a table of the summary fields of its records, a record a table of all its fields. Ids link
 * to their records, column heads sort, and values of states filter. There is no script, everything is escaped, and only
 * http, https and mail addresses become links.
 */
export const formatHtml: Format = {
  suffix: 'html',
  mime: 'text/html; charset=utf-8',
  headers: (value, context) => ({ 'Content-Security-Policy': contentSecurityPolicy(picturesOf(value, context)) }),
  write(value, context) {
    if (Array.isArray(value)) return wholeList(value, context);
    const row = isPlainObject(value) ? value : { [context.name]: value };
    return context.kind === 'problem' ? problemPage(row, context) : itemPage(row, context);
  },
  writeList: listInPages,
};

function wholeList(rows: readonly unknown[], context: FormatContext): string {
  const page = new ListPage(rows, context);
  return page.begin(rows.length) + page.rows(rows) + page.end(rows.length === 0);
}

async function* listInPages(pages: AsyncIterable<readonly unknown[]>, context: FormatContext): AsyncIterable<string> {
  let page: ListPage | undefined;
  let empty = true;
  for await (const rows of pages) {
    const begin = page === undefined;
    page ??= new ListPage(rows, context);
    empty &&= rows.length === 0;
    yield (begin ? page.begin(null) : '') + page.rows(rows);
  }
  if (page) yield page.end(empty);
  else yield wholeList([], context);
}

/** The sources of the pictures on a page. Only the page of a single record shows pictures. */
function picturesOf(value: unknown, { kind, fields }: FormatContext): string[] {
  if (kind !== 'item' || !isPlainObject(value)) return [];
  const sources = (fields ?? [])
    .filter((field) => field.format === 'image')
    .map((field) => pictureSource(value[field.name]));
  return [...new Set(sources.filter((source) => source !== null))];
}

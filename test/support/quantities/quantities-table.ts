import type { Quantity } from './quantities.ts';
import { serviceQuantities } from './service-quantities.ts';
import { writtenTables } from './written-rows.ts';

/** The bounds that no schema states, in tables with headings of this level. */
export function writtenQuantitiesMarkdown(level = '##'): string {
  const tables = writtenTables.map(([heading, rows]) => {
    return `${level} ${heading}\n\n${table(['What', 'At most', 'Beyond it'], rows)}`;
  });
  return tables.join('\n\n');
}

/** Every quantity that a caller chooses, with its bound. */
export async function quantitiesMarkdown(): Promise<string> {
  const { bodies, parameters, options } = await serviceQuantities();
  return [
    writtenQuantitiesMarkdown('###'),
    '### Fields of bodies',
    'What is beyond its bound is refused with 422, and the response names the field. `x[]` is each entry of a list, `x.*` each value of a map.',
    table(['Of', 'Field', 'At most'], rowsOf(bodies)),
    '### Parameters',
    'What is beyond its bound is refused with 400, or in a path with 404.',
    table(['In', 'Parameter', 'At most'], rowsOf(parameters)),
    '### Options',
    'What is beyond its bound is refused with 422 when the template, event source or list is saved.',
    table(['Of', 'Option', 'At most'], rowsOf(options)),
  ].join('\n\n');
}

/** Joins the quantities that have the same bound, and then those rows that have the same quantities. */
function rowsOf(quantities: readonly Quantity[]): string[][] {
  const ofOne = Map.groupBy(quantities, ({ of, bound }) => `${of}\n${bound}`);
  const rows = [...ofOne.values()].map((group) => {
    const { of, bound } = group[0] as Quantity;
    return { of, names: group.map(({ name }) => (name === '' ? 'the whole' : `\`${name}\``)).join(', '), bound };
  });
  const alike = Map.groupBy(rows, ({ names, bound }) => `${names}\n${bound}`);
  return [...alike.values()].map((group) => {
    const { names, bound } = group[0] as (typeof rows)[number];
    return [group.map(({ of }) => of).join(', '), names, bound ?? ''];
  });
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

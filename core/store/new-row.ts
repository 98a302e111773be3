import type { TableDescription } from '../resource/define-resource.ts';

/** A row of a table without its id: every column at its default, and over it what is given. */
export function newRow<R extends { id: number }>(description: TableDescription<R>, given: Partial<R>): Omit<R, 'id'> {
  return { ...blank(description), ...given } as Omit<R, 'id'>;
}

const blanks = new WeakMap<TableDescription, object>();

function blank(description: TableDescription): object {
  const known = blanks.get(description);
  if (known) return known;
  const columns = description.columns.filter((column) => column.name !== 'id');
  const made = Object.fromEntries(columns.map((column) => [column.name, column.default]));
  blanks.set(description, made);
  return made;
}

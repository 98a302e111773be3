import { conflict } from '../errors.ts';
import { ref } from '../field/fields.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow, TableDescription } from '../store/table.ts';

/** The fields that say which jobs a pause holds: those of a run template, of a company, or of all where both are null. */
export const pauseScopeFields = {
  runtemplate_id: ref('RunTemplate', {
    immutable: true,
    onDelete: 'cascade',
    description: 'The run template that it holds; null = all of the company.',
  }),
  company_id: ref('Company', {
    immutable: true,
    onDelete: 'cascade',
    description: 'The company that it holds; that of the run template where it has one; null = all companies.',
  }),
};

/** How many records of one kind there may be of a company, and how many of all companies. */
interface ScopeBound {
  readonly max: number;
  /** What they are called, in the plural. */
  readonly noun: string;
  /** Which of them count, as words after the noun: ` that have not ended`. @default all do */
  readonly which?: string;
  readonly where?: Where;
  /** What makes room for another one. */
  readonly remedy: string;
}

/** Refuses a further record beyond a bound. @throws HorariumError `conflict` that names the limit. */
export async function assertRoomForScope<R extends AnyRow>(
  tables: Tables,
  table: TableDescription<R>,
  companyId: number | null,
  { max, noun, which = '', where = [], remedy }: ScopeBound,
): Promise<void> {
  const matching: Where = [['company_id', '=', companyId], ...where];
  if ((await tables.of(table as unknown as TableDescription).count(matching, max)) < max) return;
  const those =
    companyId === null ? `There are ${max} ${noun} of all companies` : `Company ${companyId} has ${max} ${noun}`;
  throw conflict(`${those}${which}, which is the limit: ${remedy}.`);
}

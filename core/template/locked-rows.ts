import { App } from '../app/app.ts';
import { Company } from '../company/company.ts';
import type { Tables } from '../store/store.ts';
import type { TableDescription } from '../store/table.ts';
import { RunTemplate, type RunTemplateRow } from './run-template.ts';

/** What Tasks and jobs of a template refer to. */
export interface References extends Pick<RunTemplateRow, 'app_id' | 'company_id'> {
  readonly runtemplate_id: number;
}

/** Returns the record that keeps rows with these references from being inserted, as `Company 7`; undefined = none does. */
export type LockOf = (row: References) => string | undefined;

const references = [
  [RunTemplate, 'runtemplate_id'],
  [App, 'app_id'],
  [Company, 'company_id'],
] as const satisfies readonly (readonly [TableDescription, keyof References])[];

/**
 * Finds the templates, Apps and companies that another transaction has locked, as one that an operator has left open may.
 * Inserting what refers to one of them would wait for it, and with it all that is written in the same transaction. The
 * others cannot be locked so until this transaction ends.
 */
export async function findLocked(tables: Tables, rows: readonly References[]): Promise<LockOf> {
  if (rows.length === 0 || tables.serial) return () => undefined;
  const free = await Promise.all(
    references.map(async ([description, column]) => {
      const ids = [...new Set(rows.map((row) => row[column]))];
      const found = await tables
        .of<{ id: number }>(description)
        .find({ where: [['id', 'in', ids]], columns: ['id'], lock: 'reference' });
      return new Set(found.map(({ id }) => id));
    }),
  );
  return (row) => {
    const at = references.findIndex(([, column], index) => !free[index]?.has(row[column]));
    const locked = references[at];
    return locked && `${locked[0].name} ${row[locked[1]]}`;
  };
}

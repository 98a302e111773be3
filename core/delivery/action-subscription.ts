import { type ActionLists, hasActions } from '../action/action-lists.ts';
import type { Company } from '../company/company.ts';
import { ref } from '../field/fields.ts';
import type { Reaction, RecordChange } from '../resource/define-resource.ts';
import type { Tables } from '../store/store.ts';
import { type AnyRow, defineBookkeeping, newRow, type RowOfTable } from '../store/table.ts';
import type { RunTemplate } from '../template/run-template.ts';

/**
 * The templates and companies that have actions: one row each. It tells with one query, and without reading their lists,
 * whether any action follows a change of state; most have none.
 */
export const ActionSubscription = defineBookkeeping({
  name: 'ActionSubscription',
  cacheRegion: 'configuration',
  fields: {
    runtemplate_id: ref('RunTemplate', { unique: true, onDelete: 'cascade' }),
    company_id: ref('Company', { unique: true, onDelete: 'cascade' }),
  },
});

type Owner = 'runtemplate_id' | 'company_id';

/** Keeps the subscription of a template. */
export const updateTemplateSubscription: Reaction<RowOfTable<typeof RunTemplate>> = (change, tables) =>
  subscribe(tables, 'runtemplate_id', change);

/** Keeps the subscription of a company. */
export const updateCompanySubscription: Reaction<RowOfTable<typeof Company>> = (change, tables) =>
  subscribe(tables, 'company_id', change);

async function subscribe(
  tables: Tables,
  owner: Owner,
  { before, after }: RecordChange<AnyRow & ActionLists>,
): Promise<void> {
  // The subscription of a record that is deleted goes with it.
  if (after === undefined) return;
  const table = tables.of(ActionSubscription);
  if (hasActions(after)) await table.insertAbsent([newRow(ActionSubscription, { [owner]: after.id })], [owner]);
  else if (before && hasActions(before)) await table.delete([[owner, '=', after.id]]);
}

interface Subscribers {
  readonly templates: ReadonlySet<number>;
  readonly companies: ReadonlySet<number>;
}

/** Reads which of these templates and companies have actions. */
export async function readSubscribers(
  tables: Tables,
  templateIds: readonly number[],
  companyIds: readonly number[],
): Promise<Subscribers> {
  const table = tables.of(ActionSubscription);
  // Asked first, because the answer is cached and mostly no.
  if ((await table.count([], 1)) === 0) return { templates: new Set(), companies: new Set() };
  const rows = await table.find({
    where: [{ any: [[['runtemplate_id', 'in', templateIds]], [['company_id', 'in', companyIds]]] }],
  });
  return {
    templates: new Set(rows.flatMap((row) => row.runtemplate_id ?? [])),
    companies: new Set(rows.flatMap((row) => row.company_id ?? [])),
  };
}

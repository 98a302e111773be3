import type { Records } from './records/records.ts';
import { type ProductResources, productResources } from './resources.ts';
import type { RowOfTable } from './store/table.ts';

/** Tokens are left out: `core.tokens` issues and revokes them. */
const { tokens: _tokens, ...named } = productResources;

/** The records of each kind under the plural of its name: `apps`, `companies`, `runTemplates` … */
export type NamedRecords = {
  readonly [M in Exclude<keyof ProductResources, 'tokens'>]: Records<RowOfTable<ProductResources[M]>>;
};

class RecordsByName {}
for (const [member, resource] of Object.entries(named))
  Object.defineProperty(RecordsByName.prototype, member, {
    get(this: { records(name: string): Records }) {
      return this.records(resource.name);
    },
  });

/** Has the named records of a class with a method `records`. */
export const WithNamedRecords = RecordsByName as unknown as abstract new () => NamedRecords;

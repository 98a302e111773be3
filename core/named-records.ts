import { Records, type RecordsContext } from './records/records.ts';
import type { InputOfResource, Resource } from './resource/define-resource.ts';
import { type ProductResources, productResources } from './resources.ts';
import type { AnyRow, RowOfTable } from './store/table.ts';

/** Tokens are left out: `core.tokens` issues and revokes them. */
const { tokens: _tokens, ...named } = productResources;

/** The records of each kind under the plural of its name: `apps`, `companies`, `runTemplates` … */
export type NamedRecords = {
  readonly [M in Exclude<keyof ProductResources, 'tokens'>]: Records<
    RowOfTable<ProductResources[M]>,
    InputOfResource<ProductResources[M]>
  >;
};

abstract class RecordsByName {
  protected abstract readonly recordsContext: RecordsContext;

  /** The records of one resource, by its name. @throws Error when there is no such resource. */
  records<R extends AnyRow = AnyRow, I extends object = object>(resource: Resource<R, I> | string): Records<R, I> {
    const name = typeof resource === 'string' ? resource : resource.name;
    return new Records(this.recordsContext.findResource(name) as Resource<R, I>, this.recordsContext);
  }
}
for (const [member, resource] of Object.entries(named))
  Object.defineProperty(RecordsByName.prototype, member, {
    get(this: RecordsByName) {
      return this.records(resource.name);
    },
  });

/** Has the records of each kind, for a class that has what they need. */
export const WithNamedRecords = RecordsByName as unknown as abstract new () => NamedRecords & RecordsByName;

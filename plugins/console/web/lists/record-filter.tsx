import { company, query, setQuery } from '../app/router.ts';
import { type ResourceModel, useModel } from '../data/model.ts';
import type { Kind } from '../data/records.ts';
import { RecordChoice } from './record-choice.tsx';

interface RecordFilterProps {
  /** The parameter of the query that has the id. */
  readonly name: string;
  readonly label: string;
  readonly of: Kind;
}

/** What narrows a choice to the records of the company that the views are about. */
export function narrowedToCompany(resource: ResourceModel): URLSearchParams {
  const isNarrowed = company.value !== null && resource.company === 'company_id';
  return new URLSearchParams(isNarrowed ? { company_id: String(company.value) } : {});
}

/** A filter by one record of a kind. */
export function RecordFilter({ name, label, of }: RecordFilterProps) {
  const resource = useModel()?.resources.find((each) => each.name === of);
  if (!resource) return null;
  return (
    <RecordChoice
      input={{ id: `filter-${name}`, 'aria-label': label, placeholder: label }}
      resource={resource}
      filters={narrowedToCompany(resource)}
      chosen={Number(query.value.get(name)) || null}
      onChosen={(id) => setQuery({ [name]: id === null ? null : String(id), after: null })}
    />
  );
}

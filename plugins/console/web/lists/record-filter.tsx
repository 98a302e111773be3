import { company, query, setQuery } from '../app/router.ts';
import { useModel } from '../data/model.ts';
import type { Kind } from '../data/records.ts';
import { RecordChoice } from './record-choice.tsx';

interface RecordFilterProps {
  /** The parameter of the query that has the id. */
  readonly name: string;
  readonly label: string;
  readonly of: Kind;
}

/** A filter by one record of a kind. */
export function RecordFilter({ name, label, of }: RecordFilterProps) {
  const resource = useModel()?.resources.find((each) => each.name === of);
  if (!resource) return null;
  const isNarrowed = company.value !== null && resource.company === 'company_id';
  return (
    <RecordChoice
      input={{ id: `filter-${name}`, 'aria-label': label, placeholder: label }}
      resource={resource}
      filters={new URLSearchParams(isNarrowed ? { company_id: String(company.value) } : {})}
      chosen={Number(query.value.get(name)) || null}
      onChosen={(id) => setQuery({ [name]: id === null ? null : String(id), after: null })}
    />
  );
}

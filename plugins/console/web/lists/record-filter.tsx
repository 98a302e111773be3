import { useSignal } from '@preact/signals';
import { query, setQuery } from '../app/router.ts';
import { useLivePage } from '../data/answer.ts';
import { type AnyRecord, type Kind, recordOf, titleOf } from '../data/records.ts';

const maxSuggested = 1000;

interface RecordFilterProps {
  /** The parameter of the query that has the id. */
  readonly name: string;
  readonly label: string;
  readonly of: Kind;
  /** The path of the list of the records. */
  readonly list: string;
}

/** A filter by one record of a kind. It suggests the names of the records, which are read once it has the focus. */
export function RecordFilter({ name, label, of, list }: RecordFilterProps) {
  const isUsed = useSignal(false);
  const page = useLivePage<AnyRecord>(isUsed.value ? `${list}?limit=${maxSuggested}` : null, { kinds: [of] });
  const suggested = suggestionsOf(page.value?.rows ?? []);
  const chosen = Number(query.value.get(name)) || null;
  const record = chosen === null ? null : recordOf(of, chosen);
  const choose = (text: string) => {
    const found = suggested.find(([suggestion]) => suggestion === text);
    if (found || text === '') setQuery({ [name]: found ? String(found[1]) : null, after: null });
  };
  return (
    <>
      <input
        key={chosen ?? 0}
        type="search"
        list={`suggested-${name}`}
        aria-label={label}
        placeholder={label}
        defaultValue={record ? titleOf(record) : ''}
        onFocus={() => {
          isUsed.value = true;
        }}
        onInput={({ currentTarget }) => choose(currentTarget.value)}
      />
      <datalist id={`suggested-${name}`}>
        {suggested.map(([suggestion, id]) => (
          <option key={id} value={suggestion} />
        ))}
      </datalist>
    </>
  );
}

/** The name of each record, with its company where another one has the same name, in the order of the names. */
function suggestionsOf(records: readonly AnyRecord[]): readonly (readonly [name: string, id: number])[] {
  const byName = Map.groupBy(records, titleOf);
  const all = records.map((record) => {
    const name = titleOf(record);
    const isUnique = byName.get(name)?.length === 1;
    const company = isUnique ? null : recordOf('Company', Number(record['company_id']));
    return [company ? `${name} – ${titleOf(company)}` : name, record.id] as const;
  });
  return all.toSorted(([one], [other]) => one.localeCompare(other));
}

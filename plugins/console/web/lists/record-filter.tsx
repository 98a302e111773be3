import { query } from '../app/router.ts';
import { useLivePage } from '../data/answer.ts';
import { type AnyRecord, type Kind, titleOf } from '../data/records.ts';
import { titleAt } from '../parts/text/title.ts';
import { SelectFilter } from './choice.tsx';

const maxListed = 1000;

interface RecordFilterProps {
  /** The parameter of the query that has the id. */
  readonly name: string;
  readonly label: string;
  readonly of: Kind;
  /** The path of the list of the records. */
  readonly list: string;
}

/** A filter by one record of a kind, which is chosen by its name. It is left out where there is none to choose. */
export function RecordFilter({ name, label, of, list }: RecordFilterProps) {
  const records = useLivePage<AnyRecord>(`${list}?limit=${maxListed}`, { kinds: [of] });
  const chosen = query.value.get(name);
  const options = (records.value?.rows ?? []).map((row) => [String(row.id), titleOf(row)] as const);
  const isListed = chosen === null || options.some(([id]) => id === chosen);
  const all = (isListed ? options : [...options, [chosen, titleAt(of, Number(chosen))] as const]).toSorted(
    ([, one], [, other]) => one.localeCompare(other),
  );
  return all.length === 0 ? null : <SelectFilter name={name} label={label} options={all} />;
}

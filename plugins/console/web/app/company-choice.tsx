import { useLivePage } from '../data/answer.ts';
import { type AnyRecord, titleOf } from '../data/records.ts';
import { words } from '../words/words.ts';
import { company, setQuery } from './router.ts';

/** The company that the views are about. It is left out where there is only one. */
export function CompanyChoice() {
  const { shell } = words.value;
  const { value } = useLivePage<AnyRecord>('/companies.json?limit=1000&order=name', { kinds: ['Company'] });
  if (!value || (value.rows.length < 2 && company.value === null)) return null;
  return (
    <select
      class="company"
      aria-label={shell.company}
      value={company.value === null ? '' : String(company.value)}
      onChange={({ currentTarget }) => setQuery({ company: currentTarget.value, after: null })}
    >
      <option value="">{shell.allCompanies}</option>
      {value.rows.map((row) => (
        <option key={row.id} value={String(row.id)}>
          {titleOf(row)}
        </option>
      ))}
    </select>
  );
}

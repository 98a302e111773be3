import { company } from '../app/router.ts';
import { useLivePage } from '../data/answer.ts';
import { type AnyRecord, recordOf, titleOf } from '../data/records.ts';

/** The name of the company that the pages are about, or of the only one that there is; empty where that is open. */
export function useCompanyName(): string {
  const first = useLivePage<AnyRecord>('/companies.json?limit=2', { kinds: ['Company'] }).value?.rows ?? [];
  const chosen = company.value === null ? first.length === 1 && first[0] : recordOf('Company', company.value);
  return chosen ? titleOf(chosen) : '';
}

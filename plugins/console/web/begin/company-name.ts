import { company } from '../app/router.ts';
import { useLivePage } from '../data/answer.ts';
import type { AnyRecord } from '../data/records.ts';

/** The name of the company that the pages are about, or of the only one that there is; empty where that is open. */
export function useCompanyName(): string {
  const companies = useLivePage<AnyRecord>('/companies.json?limit=100', { kinds: ['Company'] }).value?.rows ?? [];
  const chosen = company.value === null ? companies : companies.filter(({ id }) => id === company.value);
  return chosen.length === 1 ? String(chosen[0]?.['name']) : '';
}

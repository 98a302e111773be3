import { company, query } from '../app/router.ts';
import { periodQuery } from './period.tsx';

/** How many rows a page of a list has. */
export const pageSize = 100;

/** The path of a list of the company that the views are about. */
export function pathOfList(list: string, parameters: Readonly<Record<string, string>>): string {
  const all = new URLSearchParams(parameters);
  if (company.value !== null) all.set('company_id', String(company.value));
  return `/${list}.json?${all}`;
}

/**
 * The path of a page of a list as the filters in the URL narrow it.
 * @param filters the parameters that the list has, beside the period.
 * @param more further parameters, which are none of the view.
 * @returns also whether it is narrowed.
 */
export function narrowedList(list: string, filters: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const chosen = filters.flatMap((name) => {
    const value = query.value.get(name);
    return value ? [[name, value] as const] : [];
  });
  const path = pathOfList(list, { limit: String(pageSize), ...more, ...Object.fromEntries(chosen), ...periodQuery() });
  return { path, isNarrowed: chosen.length > 0 || query.value.has('period') };
}

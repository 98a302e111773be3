import { type ListLinks, type PageState, pageParameters } from '@horarium/core';
import { changedSearch } from '../request/paging.ts';
import { parametersOf } from '../routes/route.ts';
import type { Answered } from './links.ts';

/** Where a list leads: to its other pages, and to itself in another order or filtered otherwise. */
export function listLinks(
  { route, path, query, suffix }: Omit<Answered, 'reply'>,
  { total, next, orders }: PageState,
  urlOf: (path: string) => string,
): ListLinks {
  const changed = (changes: Readonly<Record<string, string | null>>) =>
    urlOf(`${path}.${suffix}${changedSearch(query, changes)}`);
  return {
    query,
    filters: parametersOf(route).filter((name) => !pageParameters.includes(name)),
    orders,
    total,
    first: query.has('after') || query.has('offset') ? changed({}) : null,
    next: next === null ? null : changed({ after: next }),
    with: changed,
  };
}

import { hrefOf, path, query } from '../app/router.ts';
import { words } from '../words/words.ts';

/** Leads to the older rows of a list, and back to the newest: the page that is shown stands in the URL. */
export function Pages({ of: { next } }: { readonly of: { readonly next: URLSearchParams | null } }) {
  const { lists } = words.value;
  const after = next?.get('after') ?? null;
  const isFirst = !query.value.has('after');
  if (isFirst && after === null) return null;
  return (
    <nav class="pages" aria-label={lists.pages}>
      {!isFirst && <a href={pageAfter(null)}>{lists.newest}</a>}
      {after !== null && <a href={pageAfter(after)}>{lists.older}</a>}
    </nav>
  );
}

function pageAfter(after: string | null): string {
  const parameters = new URLSearchParams(query.value);
  if (after === null) parameters.delete('after');
  else parameters.set('after', after);
  return hrefOf(parameters.size > 0 ? `${path.value}?${parameters}` : path.value);
}

import { computed, signal } from '@preact/signals';

/** The path beneath which the pages are, without a slash at its end: empty at the root. */
const root = new URL('.', document.baseURI).pathname.replace(/\/$/, '');

const address = signal(currentAddress());

/** The path of the view, such as `/runs/12`. */
export const path = computed(() => address.value.path);
/** The query of the view: filters, periods, what is selected. */
export const query = computed(() => new URLSearchParams(address.value.search));

function currentAddress() {
  const { pathname, search } = location;
  return { path: pathname.slice(root.length) || '/', search };
}

/** The id of the company that the views are about; null = all that the user may see. It stays from view to view. */
export const company = computed(() => {
  const id = Number(query.value.get('company'));
  return Number.isSafeInteger(id) && id > 0 ? id : null;
});

/** Returns what a link to a view has as its `href`. */
export function hrefOf(view: string): string {
  if (company.value === null || /[?&]company=/.test(view)) return `${root}${view}`;
  return `${root}${view}${view.includes('?') ? '&' : '?'}company=${company.value}`;
}

/** Goes to a view; the browser's Back leads back, unless it takes the place of the present one. */
export function go(view: string, isReplacing = false): void {
  if (isReplacing) history.replaceState(null, '', hrefOf(view));
  else {
    history.replaceState({ opened: hrefOf(view) }, '');
    history.pushState(null, '', hrefOf(view));
  }
  address.value = currentAddress();
  scrollTo(0, 0);
}

/** What the `href` was of the view that was last opened from this one, to which Back has led; null = none. */
export function openedView(): string | null {
  const { opened = null } = (history.state ?? {}) as { readonly opened?: string };
  return opened;
}

/** Changes the query of the view, without a step for Back: a filter as it is typed. @param changes null removes one. */
export function setQuery(changes: Readonly<Record<string, string | null>>): void {
  const next = new URLSearchParams(query.value);
  for (const [name, value] of Object.entries(changes))
    if (value === null || value === '') next.delete(name);
    else next.set(name, value);
  const search = next.size > 0 ? `?${next}` : '';
  history.replaceState(history.state, '', `${root}${path.value}${search}`);
  address.value = currentAddress();
}

/** Follows links between views without loading the page again, and the browser's Back and Forward. */
export function startRouter(): void {
  addEventListener('popstate', () => {
    address.value = currentAddress();
  });
  document.addEventListener('click', (event) => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const isView =
      link?.origin === location.origin && !link.target && !link.hasAttribute('download') && isViewPath(link.pathname);
    if (!link || !isView) return;
    event.preventDefault();
    go(`${link.pathname.slice(root.length)}${link.search}`);
  });
}

/** The API, the handbook and files are not views. */
function isViewPath(pathname: string): boolean {
  const view = pathname.slice(root.length);
  return pathname.startsWith(`${root}/`) && !/^\/(?:api|console|docs)\//.test(`${view}/`) && !/\.[^/]*$/.test(view);
}

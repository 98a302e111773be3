import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { type Page, pageOf, useLivePage } from '../../data/answer.ts';
import { onChanges } from '../../data/live.ts';
import { read, request } from '../../data/request.ts';

interface Listed {
  readonly id: number;
}

interface GrowingList<T> {
  /** Undefined until the first page has come. */
  readonly rows: readonly T[] | undefined;
  readonly error: string | null;
  /** The number of rows on all pages: `7`, or `10000+`. */
  readonly total: string;
  /** Reads the next page; null where there is none. */
  readonly more: (() => Promise<void>) | null;
}

/**
 * A list whose first page is live, and which further pages are added to. Their rows are read again when they change, so that
 * no row moves.
 * @param list such as `tasks`.
 * @param filters the query of the list.
 * @param kind of the records.
 */
export function useGrowingList<T extends Listed>(list: string, filters: string, kind: string): GrowingList<T> {
  const first = useLivePage<T>(`/${list}.json?${filters}`, { kinds: [kind] });
  const older = useMemo(() => new OlderPages<T>(list, filters), [list, filters]);
  const version = useSignal(0);
  useEffect(
    () =>
      onChanges((changes) => {
        const ids = changes?.flatMap((each) => (each.entity_type === kind ? [each.entity_id] : [])) ?? null;
        void older.readAgain(ids).then((isChanged) => {
          if (isChanged) version.value++;
        });
      }),
    [older, kind],
  );
  void version.value;
  const { value: page, error } = first;
  if (!page) return { rows: undefined, error, total: '', more: null };
  const { rows, next } = older.behind(page);
  const more =
    next === null
      ? null
      : async () => {
          await older.readNext(rows, next);
          version.value++;
        };
  return { rows, error, total: page.total, more };
}

/** The pages behind the first one, as they were read. */
class OlderPages<T extends Listed> {
  readonly #list: string;
  readonly #filters: string;
  #rows: readonly T[] = [];
  #next: URLSearchParams | null = null;
  /** The ids of the first page, which reads itself again. */
  #live: ReadonlySet<number> = new Set();

  constructor(list: string, filters: string) {
    this.#list = list;
    this.#filters = filters;
  }

  /** Joins the first page with those behind it. */
  behind(first: Page<T>): { readonly rows: readonly T[]; readonly next: string | null } {
    const known = new Set(first.rows.map(({ id }) => id));
    this.#live = known;
    // Where so many rows came that none of the first page is known, those between are not: the list begins again.
    if (this.#rows.length > 0 && !this.#rows.some(({ id }) => known.has(id))) this.#rows = [];
    if (this.#rows.length === 0) return { rows: first.rows, next: first.next?.get('after') ?? null };
    // Rows that the first page has no more stay, as long as pages behind it are shown.
    const older = this.#rows.filter(({ id }) => !known.has(id));
    this.#rows = [...first.rows, ...older];
    return { rows: this.#rows, next: this.#next?.get('after') ?? null };
  }

  async readNext(rows: readonly T[], after: string): Promise<void> {
    const page = pageOf(await request<readonly T[]>(`/${this.#list}.json?${this.#filters}`, { query: { after } }));
    const known = new Set(rows.map(({ id }) => id));
    this.#rows = [...rows, ...page.rows.filter(({ id }) => !known.has(id))];
    this.#next = page.next;
  }

  /** Reads rows again that have changed. @param ids null = any may have. @returns whether one is shown. */
  async readAgain(ids: readonly number[] | null): Promise<boolean> {
    const shown = this.#rows.map(({ id }) => id).filter((id) => !this.#live.has(id) && (ids?.includes(id) ?? true));
    if (shown.length === 0) return false;
    const some = shown.slice(0, 100);
    const rows = await read<readonly T[]>(`/${this.#list}.json`, { id: some.join(), limit: 100 }).catch(() => []);
    const fresh = new Map(rows.map((row) => [row.id, row]));
    this.#rows = this.#rows.map((row) => fresh.get(row.id) ?? row);
    return true;
  }
}

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { bindKeys } from '../app/keys.ts';
import { query, setQuery } from '../app/router.ts';
import { type Message, messageOf } from '../data/problem.ts';
import { Act } from '../parts/act.tsx';
import { Said } from '../parts/text/said.tsx';
import { words } from '../words/words.ts';

/** The rows of a list that are picked for an action on all of them; their ids stand in the URL. */
export interface PickedRows {
  readonly ids: ReadonlySet<number>;
  toggle(id: number, withRange: boolean): void;
}

/** @param ids those of the list, in its order. */
export function usePicked(ids: readonly number[]): PickedRows {
  const picked = new Set((query.value.get('picked') ?? '').split(',').map(Number).filter(Boolean));
  const last = useSignal<number | null>(null);
  const toggle = (id: number, withRange: boolean) => {
    const ends = [ids.indexOf(last.value ?? id), ids.indexOf(id)].sort((one, other) => one - other);
    const range = withRange && ends[0] !== -1 ? ids.slice(ends[0], (ends[1] as number) + 1) : [id];
    const isPicked = withRange || !picked.has(id);
    const next = isPicked ? new Set([...picked, ...range]) : new Set([...picked].filter((each) => each !== id));
    last.value = id;
    setQuery({ picked: [...next].join() });
  };
  useEffect(() =>
    bindKeys({
      X: () => {
        const row = document.activeElement?.closest('[data-row]')?.querySelector<HTMLElement>('[data-id]');
        if (row) toggle(Number(row.dataset['id']), true);
      },
    }),
  );
  return { ids: picked, toggle };
}

interface PickProps {
  readonly id: number;
  readonly name: string;
  readonly of: PickedRows;
}

/** The box that picks a row; with Shift, all rows from the one before. */
export function Pick({ id, name, of }: PickProps) {
  return (
    <input
      type="checkbox"
      data-key="x"
      data-id={id}
      aria-label={words.value.bulk.select(name)}
      checked={of.ids.has(id)}
      onClick={(event) => of.toggle(id, event.shiftKey)}
    />
  );
}

export interface BulkAct<T> {
  readonly text: string;
  readonly shortcut?: string;
  /** Whether it can be done with a row. */
  readonly fits: (row: T) => boolean;
  /** Asks what it needs. @returns what is done with each row; null = it was closed. */
  readonly prepare: (count: number) => Promise<((row: T) => Promise<string>) | null>;
}

interface PickedBarProps<T> {
  readonly rows: readonly T[];
  readonly acts: readonly BulkAct<T>[];
  readonly nameOf: (row: T) => string;
}

interface Result {
  readonly name: string;
  readonly text: Message;
  readonly isMistake: boolean;
}

/** What can be done with the picked rows, and afterwards what became of each. */
export function PickedBar<T extends { readonly id: number }>({ rows, acts, nameOf }: PickedBarProps<T>) {
  const text = words.value.bulk;
  const results = useSignal<readonly Result[] | null>(null);
  const done = useSignal(0);
  if (results.value)
    return (
      <section class="picked" aria-label={text.results}>
        <p role="status">
          {text.done(results.value.filter(({ isMistake }) => !isMistake).length, results.value.length)}
        </p>
        <ul>
          {results.value.map(({ name, text: outcome, isMistake }, index) => (
            <li key={index} class={isMistake ? 'mistake' : undefined}>
              <b>
                <bdi>{name}</bdi>
              </b>{' '}
              <Said of={outcome} />
            </li>
          ))}
        </ul>
        <button type="button" onClick={() => (results.value = null)}>
          {words.value.act.close}
        </button>
      </section>
    );
  if (rows.length === 0) return null;
  const run = async ({ fits, prepare }: BulkAct<T>) => {
    const fitting = rows.filter(fits);
    const act = await prepare(fitting.length);
    if (!act) return;
    const found: Result[] = [];
    done.value = 0;
    for (const row of fitting) {
      const name = nameOf(row);
      found.push(
        await act(row).then(
          (outcome) => ({ name, text: outcome, isMistake: false }),
          (error) => ({ name, text: messageOf(error), isMistake: true }),
        ),
      );
      done.value++;
    }
    setQuery({ picked: null });
    results.value = found;
  };
  return (
    <section class="picked" aria-label={text.label}>
      <p role="status">{text.selected(rows.length)}</p>
      <div class="acts">
        {acts.map((act) => {
          const count = rows.filter(act.fits).length;
          return (
            count > 0 && (
              <Act key={act.text} act={() => run(act)}>
                {act.text} ({words.value.number(count)})
              </Act>
            )
          );
        })}
        <button type="button" class="plain" onClick={() => setQuery({ picked: null })}>
          {text.none}
        </button>
      </div>
    </section>
  );
}

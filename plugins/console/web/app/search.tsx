import { signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useModel } from '../data/model.ts';
import { messageOf } from '../data/problem.ts';
import { read } from '../data/request.ts';
import { words } from '../words/words.ts';
import { go } from './router.ts';
import { viewOf } from './views.ts';

interface Found {
  readonly resource: string;
  readonly id: number;
  readonly title: string;
  readonly subtitle: string | null;
  readonly company_id: number | null;
}

/** Whether the search is open. */
export const isSearchOpen = signal(false);

/** How long nothing is typed until the service is asked, in milliseconds. */
const pauseOfTyping = 120;

/** Searches everything by words and ids, and goes to what is chosen. */
export function Search() {
  const text = words.value.search;
  const model = useModel();
  const dialog = useRef<HTMLDialogElement>(null);
  const typed = useSignal('');
  const found = useSignal<readonly Found[] | null>(null);
  const failure = useSignal<string | null>(null);
  const chosen = useSignal(0);
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    const q = typed.value.trim();
    if (q === '') {
      found.value = null;
      return undefined;
    }
    const abort = new AbortController();
    const timer = setTimeout(() => {
      read<readonly Found[]>('/console/search', { q }, abort.signal).then(
        (rows) => {
          found.value = rows;
          failure.value = null;
          chosen.value = 0;
        },
        (error) => {
          if (!abort.signal.aborted) failure.value = messageOf(error);
        },
      );
    }, pauseOfTyping);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [typed.value]);
  const close = () => {
    isSearchOpen.value = false;
  };
  const open = (row: Found | undefined) => {
    const view = row && viewOf(row.resource, row.id, model);
    if (!view) return;
    close();
    go(view);
  };
  const rows = found.value ?? [];
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && rows.length > 0) {
      event.preventDefault();
      chosen.value = (chosen.value + step + rows.length) % rows.length;
    } else if (event.key === 'Enter') {
      event.preventDefault();
      open(rows[chosen.value]);
    }
  };
  const combobox = {
    role: 'combobox' as const,
    list: undefined,
    'aria-expanded': rows.length > 0,
    'aria-controls': 'found',
    'aria-activedescendant': rows.length > 0 ? `found-${chosen.value}` : undefined,
  };
  return (
    <dialog ref={dialog} class="ask search" aria-label={words.value.shell.search} onClose={close}>
      <input
        type="search"
        aria-label={text.label}
        placeholder={text.label}
        {...combobox}
        value={typed.value}
        autofocus
        onInput={({ currentTarget }) => {
          typed.value = currentTarget.value;
        }}
        onKeyDown={onKey}
      />
      {failure.value !== null && (
        <p class="mistake" role="alert">
          {failure}
        </p>
      )}
      {found.value?.length === 0 && <p class="soft">{text.none}</p>}
      <div id="found" role="listbox" aria-label={text.results}>
        {rows.map((row, index) => (
          <div
            key={`${row.resource} ${row.id}`}
            id={`found-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen.value}
            onClick={() => open(row)}
            onKeyDown={onKey}
            onPointerMove={() => {
              chosen.value = index;
            }}
          >
            <bdi>{row.title}</bdi>
            <small>
              {model?.resources.find(({ name }) => name === row.resource)?.noun ?? row.resource}
              {row.subtitle !== null && (
                <>
                  {' · '}
                  <bdi>{row.subtitle}</bdi>
                </>
              )}
            </small>
          </div>
        ))}
      </div>
    </dialog>
  );
}

import { signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useModel, wordsOfKind } from '../data/model.ts';
import { type FoundRecord, useFound } from '../data/search.ts';
import { Combobox } from '../parts/combobox.tsx';
import { Mistake } from '../parts/mistake.tsx';
import { words } from '../words/words.ts';
import { go } from './router.ts';
import { viewOf } from './views.ts';

/** Whether the search is open. */
export const isSearchOpen = signal(false);

/** Searches everything by words and ids, and goes to what is chosen. */
export function Search() {
  const text = words.value.search;
  const model = useModel();
  const dialog = useRef<HTMLDialogElement>(null);
  const typed = useSignal('');
  const { value: found, error, isCurrent } = useFound(typed.value);
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => {
    isSearchOpen.value = false;
  };
  const open = ({ resource, id }: FoundRecord) => {
    const view = viewOf(resource, id, model);
    if (!view) return;
    close();
    go(view);
  };
  return (
    <dialog
      ref={dialog}
      class="ask search"
      aria-label={words.value.shell.search}
      onClose={close}
      // A browser would only empty the input.
      onKeyDown={({ key }) => key === 'Escape' && close()}
    >
      <Combobox
        input={{ id: 'search', 'aria-label': text.label, placeholder: text.label, autofocus: true }}
        typed={typed.value}
        options={found?.rows ?? []}
        isCurrent={isCurrent}
        onTyped={(next) => {
          typed.value = next;
        }}
        onChosen={open}
      >
        {({ resource, title, subtitle }) => (
          <>
            <bdi>{title}</bdi>
            <small>
              {wordsOfKind(resource).name}
              {subtitle !== null && (
                <>
                  {' · '}
                  <bdi>{subtitle}</bdi>
                </>
              )}
            </small>
          </>
        )}
      </Combobox>
      <Mistake of={error} />
      {found?.rows.length === 0 && <p class="soft">{text.none}</p>}
    </dialog>
  );
}

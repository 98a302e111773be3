import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { query, setQuery } from '../../app/router.ts';
import { words } from '../../words/words.ts';

interface FindProps {
  /** The numbers of the lines that were found, from 0. */
  readonly found: readonly number[];
  readonly onShow: (line: number) => void;
  readonly onClose: () => void;
}

/** The field in which is typed what the output is searched for; Enter leads to the next line, with Shift to the one before. */
export function Find({ found, onShow, onClose }: FindProps) {
  const text = words.value.runs.output;
  const needle = query.value.get('find') ?? '';
  const place = useSignal(0);
  const field = useRef<HTMLInputElement>(null);
  // Before the next key is pressed, which would otherwise be a command.
  useLayoutEffect(() => field.current?.focus(), []);
  const show = (step: number) => {
    if (found.length === 0) return;
    place.value = (place.value + step + found.length) % found.length;
    onShow(found[place.value] as number);
  };
  // A line that the URL names stays in view until something else is typed.
  const shown = useRef(needle);
  useEffect(() => {
    if (shown.current === needle || found.length === 0) return;
    shown.current = needle;
    place.value = 0;
    onShow(found[0] as number);
  }, [needle, found.length > 0]);
  return (
    <search class="find">
      <input
        ref={field}
        type="search"
        aria-label={text.findLabel}
        placeholder={text.findLabel}
        value={needle}
        onInput={({ currentTarget }) => setQuery({ find: currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter') show(event.shiftKey ? -1 : 1);
          else if (event.key === 'Escape') onClose();
          else return;
          event.preventDefault();
        }}
      />
      <span class="soft small" role="status">
        {needle === '' ? '' : found.length === 0 ? text.notFound : text.place(place.value + 1, found.length)}
      </span>
      <button type="button" disabled={found.length === 0} onClick={() => show(-1)}>
        {text.previous}
      </button>
      <button type="button" disabled={found.length === 0} onClick={() => show(1)}>
        {text.next}
      </button>
      <button type="button" class="plain" aria-label={words.value.act.close} onClick={onClose}>
        ×
      </button>
    </search>
  );
}

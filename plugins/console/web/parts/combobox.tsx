import { useSignal } from '@preact/signals';
import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useEffect } from 'preact/hooks';
import { words } from '../words/words.ts';

/** The attributes of the input of a combobox, such as its name and its id. */
export type ComboboxInput = Omit<InputHTMLAttributes<HTMLInputElement>, 'role' | 'list' | 'type'>;

interface ComboboxProps<T> {
  readonly input: ComboboxInput;
  readonly typed: string;
  readonly options: readonly T[];
  /** Whether the options are those of the text as it is typed. Until they are, Enter waits for them. */
  readonly isCurrent: boolean;
  readonly onTyped: (text: string) => void;
  readonly onChosen: (option: T) => void;
  /** Called when the arrow down asks for options, and with false when Escape closes them. @default they are always there */
  readonly onOpen?: (isOpen: boolean) => void;
  readonly children: (option: T) => ComponentChildren;
}

/** A text that is typed, and what it may mean: arrows move through the options, Enter or a click chooses one. */
export function Combobox<T>(props: ComboboxProps<T>) {
  const { input, typed, options, isCurrent, onTyped, onChosen, onOpen, children } = props;
  const at = useSignal(0);
  const isEntered = useSignal(false);
  const list = `options-${input.id ?? input.name}`;
  const isOpen = options.length > 0;
  const active = Math.min(at.value, options.length - 1);
  const choose = (option: T | undefined) => option !== undefined && onChosen(option);
  useEffect(() => {
    if (!isCurrent || !isEntered.value) return;
    isEntered.value = false;
    choose(options[0]);
  }, [isCurrent]);
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && isOpen) {
      event.preventDefault();
      at.value = (active + step + options.length) % options.length;
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (isCurrent) choose(options[active]);
      else isEntered.value = true;
    } else if (onOpen && event.key === 'ArrowDown') {
      event.preventDefault();
      onOpen(true);
    } else if (onOpen && (isOpen || typed !== '') && event.key === 'Escape') {
      // It closes no dialog around it, and the browser does not empty the input.
      event.preventDefault();
      event.stopPropagation();
      onOpen(false);
    }
  };
  const combobox = {
    role: 'combobox' as const,
    list: undefined,
    'aria-autocomplete': 'list' as const,
    'aria-expanded': isOpen,
    'aria-controls': isOpen ? list : undefined,
    'aria-activedescendant': isOpen ? `${list}-${active}` : undefined,
  };
  return (
    <>
      <input
        type="search"
        autocomplete="off"
        spellcheck={false}
        {...input}
        {...combobox}
        value={typed}
        onInput={({ currentTarget }) => {
          at.value = 0;
          isEntered.value = false;
          onTyped(currentTarget.value);
        }}
        onKeyDown={onKey}
      />
      {isOpen && (
        <div id={list} class="options" role="listbox" aria-label={words.value.search.results}>
          {options.map((option, index) => (
            <div
              key={index}
              id={`${list}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              // The input keeps the focus.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => choose(option)}
              onKeyDown={onKey}
              onPointerMove={() => {
                at.value = index;
              }}
            >
              {children(option)}
            </div>
          ))}
        </div>
      )}
    </>
  );
}

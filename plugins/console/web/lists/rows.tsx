import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Dot } from '../parts/dot.tsx';
import { words } from '../words/words.ts';
import type { Steady } from './steady.ts';

interface RowsProps<T> {
  readonly of: Steady<T>;
  /** Names the list for screen readers. */
  readonly label: string;
  readonly children: (row: T) => ComponentChildren;
}

/** A list whose rows keep their place while the reader is at them; a button shows what has changed meanwhile. */
export function Rows<T>({ of: { rows, pending, show, around }, label, children }: RowsProps<T>) {
  return (
    <div {...around}>
      {pending > 0 && (
        <button type="button" class="changes" onClick={show}>
          {words.value.rows.changed(pending)}
        </button>
      )}
      <ul class="rows" aria-label={label}>
        {rows.map(children)}
      </ul>
    </div>
  );
}

interface RowProps {
  readonly state?: string;
  /** What stands in place of the dot. */
  readonly lead?: ComponentChildren;
  readonly title: ComponentChildren;
  /** Where Enter and a click on the title lead. */
  readonly href?: string;
  /** Beneath the title, in small type. */
  readonly under?: ComponentChildren;
  /** Beneath that: a bar. */
  readonly below?: ComponentChildren;
  readonly children?: ComponentChildren;
  readonly acts?: ComponentChildren;
  /** What the row unfolds. */
  readonly more?: ComponentChildren;
}

/** One row: its state, what it is, what is said about it, and what can be done. The keys of its buttons work while it has the focus. */
export function Row({ state, lead, title, href, under, below, children, acts, more }: RowProps) {
  const item = useRef<HTMLLIElement>(null);
  const focused = useRef<EventTarget | null>(null);
  // The row takes the focus of a button that has done what it says, and is gone or disabled.
  const keepFocus = () => {
    const { current } = focused;
    if (current && !canHaveFocus(current) && !canHaveFocus(document.activeElement)) item.current?.focus();
  };
  useLayoutEffect(keepFocus);
  return (
    <li
      ref={item}
      data-row=""
      // biome-ignore lint/a11y/noNoninteractiveTabindex: The keyboard moves from row to row, and its keys press the buttons of one.
      tabIndex={0}
      onFocusIn={({ target }) => {
        focused.current = target;
      }}
      onFocusOut={({ target }) => {
        // An element that is about to be removed is still there when it loses the focus.
        queueMicrotask(() => {
          if (focused.current === target && canHaveFocus(target)) focused.current = null;
          keepFocus();
        });
      }}
    >
      <span class="lead">{lead ?? (state !== undefined && <Dot state={state} />)}</span>
      <div class="what">
        {href === undefined ? (
          <bdi>{title}</bdi>
        ) : (
          <a href={href} data-open="">
            <bdi>{title}</bdi>
          </a>
        )}
        {under !== undefined && <small>{under}</small>}
        {below}
      </div>
      {children !== undefined && <div class="why">{children}</div>}
      {acts && <div class="acts">{acts}</div>}
      {more && <div class="more">{more}</div>}
    </li>
  );
}

/** Whether an element is still there and enabled; the page itself, which has the focus when no element does, is none. */
function canHaveFocus(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target !== document.body && target.isConnected && !target.matches(':disabled')
  );
}

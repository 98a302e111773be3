import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';

/** Rows that keep their place while they are read. */
export interface Steady<T> {
  readonly rows: readonly T[];
  /** How many rows came, went or would move since. */
  readonly pending: number;
  /** Shows the rows as they are now. */
  show(): void;
  /** Goes on the element around the rows: while the pointer is over it, or the focus in it, nothing moves. */
  readonly around: {
    onPointerEnter(): void;
    onPointerLeave(): void;
    onFocusIn(): void;
    onFocusOut(): void;
  };
}

/**
 * Keeps rows in their place while the reader is at them: each shows its new state where it is, one that is gone stays, and
 * one that is new waits. They are shown once the reader leaves the list, or asks, also by another filter.
 * @param rows as they are now.
 * @param keyOf identifies a row.
 * @param of what the rows are of: those of another filter or page are shown at once.
 */
export function useSteady<T>(rows: readonly T[], keyOf: (row: T) => string | number, of?: string): Steady<T> {
  const isAt = useSignal({ pointer: false, focus: false });
  const shown = useRef<readonly T[]>(rows);
  const shownOf = useRef(of);
  const renewed = useSignal(0);
  void renewed.value;
  const { pointer, focus } = isAt.value;
  const current = new Map(rows.map((row) => [keyOf(row), row]));
  if ((!pointer && !focus) || shown.current.length === 0 || shownOf.current !== of) shown.current = rows;
  else shown.current = shown.current.map((row) => current.get(keyOf(row)) ?? row);
  shownOf.current = of;
  const keys = shown.current.map(keyOf);
  const shownKeys = new Set(keys);
  const isNew = (row: T) => !shownKeys.has(keyOf(row));
  const stayed = keys.filter((key) => current.has(key));
  const moved = rows.filter((row) => !isNew(row)).filter((row, index) => keyOf(row) !== stayed[index]).length;
  const gone = keys.length - stayed.length;
  return {
    rows: shown.current,
    pending: Math.max(rows.filter(isNew).length, moved, gone),
    show: () => {
      shown.current = rows;
      renewed.value++;
    },
    around: {
      onPointerEnter: () => {
        isAt.value = { ...isAt.value, pointer: true };
      },
      onPointerLeave: () => {
        isAt.value = { ...isAt.value, pointer: false };
      },
      onFocusIn: () => {
        isAt.value = { ...isAt.value, focus: true };
      },
      onFocusOut: () => {
        isAt.value = { ...isAt.value, focus: false };
      },
    },
  };
}

/**
 * Tells a steady list which of its changes the reader has made: those are shown at once.
 * @param keys of the rows as they are now.
 * @returns what the list is of, and a function that tells that the reader changes it.
 */
export function useOwnChanges(keys: readonly (string | number)[]): readonly [of: string, changing: () => void] {
  const last = useRef({ keys: keys.join(), isOwn: false, view: 0 });
  const { current } = last;
  if (current.keys !== keys.join()) {
    last.current = { keys: keys.join(), isOwn: false, view: current.isOwn ? current.view + 1 : current.view };
  }
  return [
    String(last.current.view),
    () => {
      last.current.isOwn = true;
    },
  ];
}

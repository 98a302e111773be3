import { go } from './router.ts';
import { sections } from './sections.ts';

/** How long the second key may take after `g`, in milliseconds. */
const sequenceTime = 1500;

/** The actions of the view by key: those that were bound last come first. */
const bound: Readonly<Record<string, () => void>>[] = [];

/** Has keys do something while a view is open. @returns a function that ends it. */
export function bindKeys(keys: Readonly<Record<string, () => void>>): () => void {
  bound.push(keys);
  return () => {
    const index = bound.indexOf(keys);
    if (index >= 0) bound.splice(index, 1);
  };
}

/**
 * Listens to the keys of all views, except where text is typed. Rows are elements with `data-row`: `j` and `k` move through
 * them, Enter opens the link with `data-open` of the one that has the focus, and other keys press its button with that
 * `data-key`, or else the one of the view.
 * @param everywhere the keys that every view has, unless it has another use for them.
 */
export function startKeys(everywhere: Readonly<Record<string, () => void>>): void {
  bound.push(everywhere);
  let isAfterG = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isDone = (event: KeyboardEvent): boolean => {
    const section = isAfterG ? sections.find(({ key }) => key === event.key) : undefined;
    isAfterG = false;
    clearTimeout(timer);
    if (section) {
      go(section.path);
      return true;
    }
    if (event.key === 'g') {
      isAfterG = true;
      timer = setTimeout(() => {
        isAfterG = false;
      }, sequenceTime);
      return true;
    }
    return isForRow(event) || isForView(event.key);
  };
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector('dialog[open]')) return;
    if (isDone(event)) event.preventDefault();
  });
}

function isForRow({ key, target }: KeyboardEvent): boolean {
  const row = document.activeElement?.closest<HTMLElement>('[data-row]') ?? null;
  const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[key];
  if (step !== undefined) return moveTo(row, step);
  if (!row) return false;
  // A link or a button that has the focus itself does what it says.
  if (key === 'Enter') return target === row && press(row.querySelector('[data-open]'));
  return press(row.querySelector(`[data-key="${CSS.escape(key)}"]:not(:disabled)`));
}

function moveTo(row: HTMLElement | null, step: number): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const next = rows[row ? rows.indexOf(row) + step : step > 0 ? 0 : rows.length - 1];
  if (!next) return false;
  next.focus();
  next.scrollIntoView({ block: 'nearest' });
  return true;
}

function isForView(key: string): boolean {
  const action = bound.findLast((keys) => Object.hasOwn(keys, key))?.[key];
  if (action) {
    action();
    return true;
  }
  return press(document.querySelector(`main [data-key="${CSS.escape(key)}"]:not([data-row] *):not(:disabled)`));
}

function press(element: Element | null): boolean {
  if (!(element instanceof HTMLElement)) return false;
  element.click();
  return true;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest('input:not([type=checkbox]), textarea, select, [contenteditable="true"]') !== null
  );
}

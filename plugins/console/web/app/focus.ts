import { openedView } from './router.ts';

/**
 * Gives the focus to the view that was opened, where it went with the one before: the keyboard goes on in it, and screen readers
 * are there. After Back it is at the row that led away.
 */
export function focusView(): void {
  const content = document.getElementById('content');
  const { activeElement, body } = document;
  if (![null, body, content].includes(activeElement as HTMLElement | null)) return;
  const opened = openedView();
  const links = document.querySelectorAll<HTMLAnchorElement>('[data-row] a, a[data-row]');
  const link = opened === null ? undefined : [...links].find((each) => each.getAttribute('href') === opened);
  const row = link?.closest<HTMLElement>('[data-row]');
  (row ?? content)?.focus();
}

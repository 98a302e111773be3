import { signal } from '@preact/signals';
import { path, query, setQuery } from '../app/router.ts';
import type { Chosen } from './picture/finding.ts';

/** What a person has chosen: its card stays, and keys act on it. */
export const chosen = signal<Chosen | null>(null);
/** What the pointer is at. */
export const pointed = signal<Chosen | null>(null);

/** How long a choice stays before it is stored in the URL, in milliseconds. */
const restTime = 200;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Chooses a window or slot of a row. */
export function choose(next: Chosen | null): void {
  chosen.value = next;
  pointed.value = null;
  clearTimeout(timer);
  const view = path.peek();
  timer = setTimeout(() => {
    if (path.peek() !== view) return;
    setQuery({ row: next && String(next.template), at: next && new Date(next.at).toISOString() });
  }, restTime);
}

/** Chooses what the URL names, when the screen is opened. */
export function readChosen(): void {
  const template = Number(query.peek().get('row'));
  const at = Date.parse(query.peek().get('at') ?? '');
  chosen.value = Number.isSafeInteger(template) && template > 0 && !Number.isNaN(at) ? { template, at } : null;
}

/** Ends what waits, when the screen is left. */
export function leaveChosen(): void {
  clearTimeout(timer);
  chosen.value = null;
  pointed.value = null;
}

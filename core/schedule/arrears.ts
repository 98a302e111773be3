import type { Instant } from '../loop/clock.ts';
import type { Beginning } from './begin-windows.ts';
import { dueWindows } from './due-windows.ts';
import type { Terms } from './terms.ts';

/**
 * Windows that began before a template was changed and have no Task yet, because nobody was scheduling. They are
 * written under the terms they began under, and a long outage in batches across beats, like any other (contract §4).
 */
export interface Arrears {
  readonly terms: Terms;
  /** Start of the first window that has no Task yet. */
  readonly next: Instant;
  /** When the template was changed: which windows had passed by then is judged at this moment. */
  readonly until: Instant;
  /** Nothing of them is run any more: those that had passed are missed, the one that was current is lifted. */
  readonly lifted: boolean;
}

/** The next windows of arrears, oldest first and at most `most` of them, and what is left for later. */
export function takeArrears(
  arrears: readonly Arrears[],
  most: number,
): { readonly beginnings: readonly Beginning[]; readonly left: readonly Arrears[] } {
  const beginnings: Beginning[] = [];
  const left: Arrears[] = [];
  let room = most;
  for (const each of arrears) {
    if (room <= 0) {
      left.push(each);
      continue;
    }
    const { windows, next } = dueWindows(each.terms, each.next, each.until, room);
    beginnings.push({ template: each.terms, windows: each.lifted ? windows.map(withoutRunning) : windows });
    room -= windows.length;
    if (next !== null && next <= each.until) left.push({ ...each, next });
  }
  return { beginnings, left };
}

function withoutRunning({ window, treatment }: Beginning['windows'][number]): Beginning['windows'][number] {
  return { window, treatment: treatment === 'normal' ? 'lifted' : 'missed' };
}

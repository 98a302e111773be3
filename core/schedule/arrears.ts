import type { Instant } from '../loop/clock.ts';
import type { Beginning } from './begin-windows.ts';
import { dueWindows, owedAfter } from './due-windows.ts';
import { type Terms, termsOf } from './terms.ts';
import { windowContaining } from './windows.ts';

/**
 * Windows that have no Task yet, because nobody was scheduling: those of a template that was changed meanwhile, and
 * those of a long outage. They are written under the terms they began under, in batches across beats (contract §4),
 * while the windows that begin from then on do not wait for them.
 */
export interface Arrears {
  readonly terms: Terms;
  /** Start of the first window that has no Task yet. */
  readonly next: Instant;
  /** When the template was changed, or the outage ended: which windows had passed by then is judged at this moment. */
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

/** What an outage left behind that is too long for one batch, and the start of the window to go on with at once. */
export function outageUntil(
  template: Terms,
  from: Instant,
  now: Instant,
): { readonly arrears: Arrears; readonly resume: Instant | null } {
  const resume = owedAfter(template, windowContaining(template, now)?.start ?? now);
  const ends = Math.min(template.ends_at ?? Infinity, resume ?? Infinity);
  const terms = { ...termsOf(template), ends_at: Number.isFinite(ends) ? ends : null };
  return { arrears: { terms, next: from, until: now, lifted: false }, resume };
}

function withoutRunning({ window, treatment }: Beginning['windows'][number]): Beginning['windows'][number] {
  return { window, treatment: treatment === 'normal' ? 'lifted' : 'missed' };
}

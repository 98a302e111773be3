import { now } from '../data/clock.ts';
import { recordOf } from '../data/records.ts';
import { momentText } from '../parts/times.ts';
import { When } from '../parts/when.tsx';
import { words } from '../words/words.ts';
import type { Template } from './template-answer.ts';

/** How often templates are read while the next window of one has begun, in milliseconds: the scheduler looks for the one after it. */
export const readingWhilePassed = 2000;

type Scheduled = Pick<Template, 'active' | 'pause_id' | 'next_scheduled_at'>;

/** Whether what is known as the next window has begun meanwhile, so that another one is next. */
export function hasPassed({ active, pause_id, next_scheduled_at: next }: Scheduled): boolean {
  return active && pause_id === null && next !== null && Date.parse(next) <= now.value;
}

/** When a template starts next, or what it waits for. */
export function NextStart({ of: { active, pause_id, next_scheduled_at: next } }: { readonly of: Scheduled }) {
  const text = words.value.templates;
  if (!active) return text.inactive;
  if (pause_id !== null) return text.pausedUntil(untilText(pause_id));
  return next === null ? text.noNext : <When at={next} as="ahead" />;
}

/** When a pause ends, as the API writes it; null = when a person resumes, undefined = it is not known yet. */
export function endOfPause(id: number): string | null | undefined {
  const pause = recordOf('Pause', id);
  return pause ? (pause['until'] as string | null) : undefined;
}

function untilText(pause: number): string | null {
  const until = endOfPause(pause);
  return until ? momentText(Date.parse(until), now.value) : null;
}

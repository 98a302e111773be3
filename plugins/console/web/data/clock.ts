import { signal } from '@preact/signals';
import { clock } from './request.ts';

/** The time of the service, in milliseconds since 1970; it moves on each second while the page is seen. */
export const now = signal(Date.now());

/** Moves `now` on. */
export function startClock(): void {
  const tick = () => {
    if (document.visibilityState === 'visible') now.value = Date.now() + clock.ahead;
  };
  setInterval(tick, 1000);
  document.addEventListener('visibilitychange', tick);
  tick();
}

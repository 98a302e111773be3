import type { Clock, Milliseconds } from '../loop/clock.ts';
import type { Store } from './store.ts';

/** A store that says nothing for so long is as good as gone. */
const patience: Milliseconds = 2000;

/** Whether the store answers, and soon. */
export async function isResponsive(store: Store, clock: Clock): Promise<boolean> {
  const over = new AbortController();
  const answers = store
    .transaction((tables) => tables.now(), { readOnly: true, singleStatement: true })
    .then(
      () => true,
      () => false,
    );
  const silence = clock.sleep(patience, over.signal).then(() => false);
  const ready = await Promise.race([answers, silence]);
  over.abort();
  return ready;
}

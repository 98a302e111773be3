import { text } from '../field/fields.ts';
import type { Instant } from '../loop/clock.ts';
import { readRestorePause } from '../pause/restore-pause.ts';
import type { ComputedOptions } from '../resource/define-resource.ts';
import { formatInstant } from '../time/instant.ts';

interface TellableDelivery {
  readonly state: string;
  readonly collected: boolean;
  readonly tries: number;
  readonly next_at: Instant | null;
  readonly digest_id: number | null;
}

/** Says what a delivery waits for, or which delivery covers it. It is derived when it is read. */
export const deliveryReason: ComputedOptions<TellableDelivery> = {
  fields: {
    reason: text(255, {
      readOnly: true,
      description:
        'What it waits for: a digest, or the end of a pause; or which delivery tells of it. Null if none of these.',
    }),
  },
  async load(tables, rows) {
    const pause = rows.some(({ state }) => state === 'pending') ? await readRestorePause(tables) : null;
    return rows.map((row) => ({ reason: reasonOf(row, pause) }));
  },
};

function reasonOf(
  { state, collected, tries, next_at, digest_id }: TellableDelivery,
  pause: { readonly id: number } | null,
): string | null {
  if (digest_id !== null) return `delivery ${digest_id} tells of it, together with other failures`;
  if (state === 'pending' && pause)
    return `it waits for the end of pause ${pause.id}: the store was restored from a backup`;
  if (state !== 'pending' || !collected || tries > 0 || next_at === null) return null;
  return `it waits until ${formatInstant(next_at)}, to be told together with other failures`;
}

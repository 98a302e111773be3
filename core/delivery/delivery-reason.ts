import { text } from '../field/fields.ts';
import type { Instant } from '../loop/clock.ts';
import type { ComputedOptions } from '../resource/define-resource.ts';
import { formatInstant } from '../time/instant.ts';

interface TellableDelivery {
  readonly state: string;
  readonly collected: boolean;
  readonly tries: number;
  readonly next_at: Instant | null;
  readonly digest_id: number | null;
}

/** Says until when a delivery waits for a digest, or which delivery told of it. It is derived when it is read. */
export const deliveryReason: ComputedOptions<TellableDelivery> = {
  fields: {
    reason: text(255, {
      readOnly: true,
      description: 'Until when it waits for a digest, or which delivery tells of it; null if neither.',
    }),
  },
  async load(_tables, rows) {
    return rows.map((row) => ({ reason: reasonOf(row) }));
  },
};

function reasonOf({ state, collected, tries, next_at, digest_id }: TellableDelivery): string | null {
  if (digest_id !== null) return `delivery ${digest_id} tells of it, together with other failures`;
  if (state !== 'pending' || !collected || tries > 0 || next_at === null) return null;
  return `it waits until ${formatInstant(next_at)}, to be told together with other failures`;
}

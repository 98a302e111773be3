import { announce } from '../data/live.ts';
import { mayIn } from '../data/may.ts';
import { request } from '../data/request.ts';
import { Act } from '../parts/act.tsx';
import { say } from '../parts/messages.tsx';
import { words } from '../words/words.ts';
import type { DeliveryRow } from './delivery.ts';
import { noticeText } from './notice-sentence.tsx';

interface RetryDeliveryProps {
  readonly of: DeliveryRow;
  /** Whether it is the only one of the page, where one that arrived can be sent again, too. @default false */
  readonly alone?: boolean;
}

/** Tries a delivery again at once that did not arrive. It is shown to those who may. */
export function RetryDelivery({ of: delivery, alone = false }: RetryDeliveryProps) {
  const text = words.value.deliveries;
  const { id, state, attempts, company_id, digest_id } = delivery;
  const hasArrived = state === 'delivered';
  const isWaiting = state === 'pending' && attempts === 0;
  if (isWaiting || digest_id !== null || (hasArrived && !alone) || !mayIn(company_id, 'operator')) return null;
  const word = hasArrived ? text.again : text.retry;
  return (
    <Act
      shortcut="r"
      {...(!alone && { label: `${word}: ${noticeText(delivery)}` })}
      act={async () => {
        await request(`/delivery/${id}/retry.json`, { method: 'POST' });
        announce('Delivery', id);
        say(text.retried);
      }}
    >
      {word}
    </Act>
  );
}

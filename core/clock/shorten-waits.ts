import { Delivery } from '../delivery/delivery.ts';
import { Event } from '../event/event.ts';
import { EventSource } from '../event/event-source.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import type { Tables } from '../store/store.ts';
import { LoginAttempt } from '../user/login-throttle.ts';

/** As long as the claims of events, event sources and deliveries last, so that one under way is not claimed twice. */
const wait: Milliseconds = 10_000;

/**
 * Ends the waits for a time that the store's clock, which was set back to `now`, would reach much later than meant: until
 * an event source is read, an event or a delivery is tried again, or a login is accepted.
 */
export async function shortenWaits(tables: Tables, now: Instant): Promise<void> {
  const at = now + wait;
  await tables.of(EventSource).updateWhere([['next_poll_at', '>', at]], { next_poll_at: at });
  await tables.of(Event).updateWhere([['claimed_until', '>', at]], { claimed_until: at });
  await tables.of(Delivery).updateWhere([['next_at', '>', at]], { next_at: at });
  await tables.of(LoginAttempt).updateWhere([['closed_until', '>', at]], { closed_until: at });
}

import type { Milliseconds } from '../../loop/clock.ts';
import type { Tables } from '../../store/store.ts';
import { maxReason } from '../../task/task.ts';
import { second } from '../../time/duration.ts';
import { Event, type EventRow } from '../event.ts';
import type { MatchedEvent } from '../rule/match-rules.ts';

/** How often an event is tried whose tries do not come to an end. */
export const maxTries = 3;

/** How long other hosts leave an event alone that one of them tries. */
const claimTime: Milliseconds = 10 * second;

/** Counts a try of events, and keeps them from other hosts. @returns them as they are then. */
export async function claim(tables: Tables, matched: readonly MatchedEvent[]): Promise<MatchedEvent[]> {
  if (matched.length === 0) return [];
  const claimed_until = (await tables.now()) + claimTime;
  const changes = matched.map(({ event: row }) => ({
    row,
    set: { tries: row.tries + 1, attempts: row.attempts + 1, claimed_until },
  }));
  await tables.of(Event).update(changes);
  return matched.map((each, index) => ({ ...each, event: { ...each.event, ...changes[index]?.set } }));
}

/** Takes back the claim of events that were not tried. */
export async function giveBack(tables: Tables, claimed: readonly MatchedEvent[]): Promise<void> {
  const rows = [...(await lockPending(tables, claimed)).values()];
  await tables.of(Event).update(rows.map((row) => ({ row, set: { ...uncounted(row), claimed_until: null } })));
}

/** Takes back the count of a try. */
export function uncounted({ tries, attempts }: EventRow): Pick<EventRow, 'tries' | 'attempts'> {
  return { tries: tries - 1, attempts: attempts - 1 };
}

/** Locks the events that are still pending. @returns them by their ids. */
export async function lockPending(
  tables: Tables,
  events: readonly { readonly event: Pick<EventRow, 'id'> }[],
): Promise<ReadonlyMap<number, EventRow>> {
  const ids = [...new Set(events.map(({ event }) => event.id))];
  const rows = await tables.of(Event).find({
    where: [
      ['id', 'in', ids],
      ['state', '=', 'pending'],
    ],
    lock: 'wait',
  });
  return new Map(rows.map((row) => [row.id, row]));
}

/** What an event becomes that is tried no more. */
export function setAside(reason: string) {
  return { state: 'set_aside', reason: reason.slice(0, maxReason), tries: 0, claimed_until: null } as const;
}

import type { Where } from '../../store/query.ts';
import type { Tables } from '../../store/store.ts';
import { Event, type EventRow } from '../event.ts';

/** Who has pending events: a company, or a source whose events no rule has matched yet. */
export type Owner = readonly [company: number | null, source: number | null];

/** Events that no host has tried. */
const fresh: Where<EventRow> = [
  ['state', '=', 'pending'],
  ['claimed_until', '=', null],
];

/** How many events are taken at once. */
const limit = 50;

export interface DueEvents {
  readonly events: readonly EventRow[];
  /** The owner that was last served. */
  readonly last: Owner | null;
  /** Whether there may be further ones. */
  readonly more: boolean;
}

/**
 * Reads and locks events that no host has tried, oldest first; those that others have locked are left out. Where there are
 * many, owners take turns, so that none waits for all events of another.
 * @param last the owner that was last served.
 */
export async function readDueEvents(tables: Tables, last: Owner | null): Promise<DueEvents> {
  const find = (where: Where<EventRow>, max: number) =>
    tables.of(Event).find({ where, order: [['id', 'asc']], limit: max, lock: 'skip' });
  const oldest = await find(fresh, limit);
  if (oldest.length < limit) return { events: oldest, last, more: false };
  const counts = await tables.of(Event).countBy(['company_id', 'event_source_id'], fresh);
  if (counts.length < 2) return { events: oldest, last, more: true };
  const owners = inTurn(
    counts.map(({ values }) => values),
    last,
  ).slice(0, limit);
  const share = Math.floor(limit / owners.length);
  const shares = owners.map(([company, source]) =>
    find([...fresh, ['company_id', '=', company], ['event_source_id', '=', source]], share),
  );
  return { events: (await Promise.all(shares)).flat(), last: owners.at(-1) ?? last, more: true };
}

/** Sorts owners, beginning behind the one that was last served, so that turns go round. */
function inTurn(owners: readonly Owner[], last: Owner | null): Owner[] {
  const sorted = owners.toSorted(compare);
  if (last === null) return sorted;
  const isAfter = (owner: Owner) => compare(owner, last) > 0;
  return [...sorted.filter(isAfter), ...sorted.filter((owner) => !isAfter(owner))];
}

function compare(one: Owner, other: Owner): number {
  return (one[0] ?? 0) - (other[0] ?? 0) || (one[1] ?? 0) - (other[1] ?? 0);
}

/** Reads and locks the event whose try has been over for longest without an end, because its host died or lost the database. */
export async function readUnendedEvent(tables: Tables): Promise<EventRow | undefined> {
  const where: Where<EventRow> = [
    ['state', '=', 'pending'],
    ['claimed_until', '<=', await tables.now()],
  ];
  const order = [['claimed_until', 'asc']] as const;
  return (await tables.of(Event).find({ where, order, limit: 1, lock: 'skip' }))[0];
}

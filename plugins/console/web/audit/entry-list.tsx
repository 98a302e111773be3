import { now } from '../data/clock.ts';
import { Rows } from '../lists/rows.tsx';
import { useSteady } from '../lists/steady.ts';
import { dayText } from '../parts/times.ts';
import { words } from '../words/words.ts';
import { type AuditEntry, shownEntry } from './entry.ts';
import { EntryRow } from './entry-row.tsx';

interface EntryListProps {
  readonly of: readonly AuditEntry[];
  /** Names the list for screen readers. */
  readonly label: string;
  /** The kind of the record of the page, which its entries need not name. @default none */
  readonly here?: string | undefined;
}

/** Entries of the audit log beneath the days on which they were written. */
export function EntryList({ of, label, here }: EntryListProps) {
  const steady = useSteady(of.map(shownEntry), ({ id }) => id);
  const days = new Map<string, number>();
  for (const { id, created_at } of steady.rows) {
    const day = dayOf(created_at);
    if (!days.has(day)) days.set(day, id);
  }
  return (
    <div class="audit">
      <Rows of={steady} label={label}>
        {(entry) => {
          const day = dayOf(entry.created_at);
          return (
            <>
              {day !== '' && days.get(day) === entry.id && <li class="day">{dayName(day)}</li>}
              <EntryRow key={entry.id} of={entry} here={entry.entity_type === here} />
            </>
          );
        }}
      </Rows>
    </div>
  );
}

/** A forged entry may have no time. */
function dayOf(at: string): string {
  return at === '' ? '' : dayText(Date.parse(at));
}

function dayName(day: string): string {
  const { time } = words.value;
  const today = Math.floor(now.peek());
  if (day === dayText(today)) return time.today;
  return day === dayText(today - 86_400_000) ? time.yesterday : day;
}

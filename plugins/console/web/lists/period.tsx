import { query, setQuery } from '../app/router.ts';
import { now } from '../data/clock.ts';
import { words } from '../words/words.ts';
import { SelectFilter } from './choice.tsx';

const day = 86_400_000;

/** A filter by time: some periods, or the days from one to another. */
export function PeriodFilter() {
  const { lists } = words.value;
  return (
    <>
      <SelectFilter name="period" label={lists.anyTime} options={Object.entries(lists.periods)} />
      {query.value.get('period') === 'range' && (
        <>
          <DayFilter name="from" label={lists.from} />
          <DayFilter name="to" label={lists.to} />
        </>
      )}
    </>
  );
}

function DayFilter({ name, label }: { readonly name: string; readonly label: string }) {
  return (
    <input
      type="date"
      aria-label={label}
      title={label}
      value={query.value.get(name) ?? ''}
      onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value, after: null })}
    />
  );
}

/** Returns the first moment of today for the reader, as the API reads it. */
export function startOfToday(): string {
  return midnight(now.value, 0);
}

/** Returns the ends of the chosen period as the API reads them: the days are those of the reader. */
export function periodQuery(): Readonly<Record<string, string>> {
  switch (query.value.get('period')) {
    case 'today':
      return { from: startOfToday() };
    case 'yesterday':
      return { from: midnight(now.value, -1), to: justBefore(startOfToday()) };
    case 'week':
      return { from: midnight(now.value, -6) };
    case 'range': {
      const [from, to] = ['from', 'to'].map((name) => Date.parse(`${query.value.get(name)}T00:00`));
      return {
        ...(Number.isFinite(from) && { from: midnight(from as number, 0) }),
        ...(Number.isFinite(to) && { to: justBefore(midnight(to as number, 1)) }),
      };
    }
    default:
      return {};
  }
}

/** Returns the beginning of the day that is so many days after that of a moment. A day may have 23 or 25 hours. */
function midnight(at: number, days: number): string {
  const noon = new Date(at).setHours(12, 0, 0, 0) + days * day;
  return new Date(new Date(noon).setHours(0, 0, 0, 0)).toISOString();
}

function justBefore(at: string): string {
  return new Date(Date.parse(at) - 1).toISOString();
}

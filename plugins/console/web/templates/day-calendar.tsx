import { dayText } from '../parts/times.ts';
import { words } from '../words/words.ts';
import { worstFirst } from './template-answer.ts';

/** What became of the Tasks of one day, as the API counts them in the time zone of the service. */
export interface DayOutcomes extends Readonly<Record<(typeof worstFirst)[number], number>> {
  /** `2026-11-23`. */
  readonly day: string;
  readonly owed: number;
  readonly on_time_rate: number | null;
}

interface DayCalendarProps {
  readonly days: readonly DayOutcomes[];
  /** The last day that is shown, `2026-11-30`. */
  readonly until: string;
  readonly count: number;
}

const dayLength = 86_400_000;

/** The days of the last months, a column for each week and Monday first: the colour is the worst outcome, and how strong it is the share. */
export function DayCalendar({ days, until, count }: DayCalendarProps) {
  const text = words.value.template;
  const byDay = new Map(days.map((each) => [each.day, each]));
  const last = Date.parse(`${until}T00:00:00Z`);
  const shown = Array.from({ length: count }, (_, index) => new Date(last - (count - 1 - index) * dayLength));
  const columnOf = (date: Date) => Math.floor((date.getTime() / dayLength + 3) / 7);
  const first = columnOf(shown[0] as Date);
  return (
    <table class="day-calendar">
      <caption class="hidden">{text.calendar}</caption>
      <tbody>
        {Array.from({ length: 7 }, (_, weekday) => (
          <tr key={weekday}>
            {weeks(shown, columnOf, first, weekday).map((date, week) => {
              if (!date) return <td key={week} />;
              const name = date.toISOString().slice(0, 10);
              const outcomes = byDay.get(name);
              const state = outcomes && worstFirst.find((each) => outcomes[each] > 0);
              const label = `${dayText(date.getTime(), 'UTC')}: ${
                outcomes && outcomes.owed > 0
                  ? text.dayOutcome(outcomes.on_time_rate ?? 0, outcomes.owed)
                  : text.nothingOwed
              }`;
              return (
                <td key={name}>
                  <span class={state ? `is-${state}` : undefined} role="img" aria-label={label} title={label} />
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The days of one weekday, week by week; undefined where the range has none. */
function weeks(shown: readonly Date[], columnOf: (date: Date) => number, first: number, weekday: number) {
  const columns = columnOf(shown.at(-1) as Date) - first + 1;
  const found: (Date | undefined)[] = Array.from({ length: columns });
  for (const date of shown) if ((date.getUTCDay() + 6) % 7 === weekday) found[columnOf(date) - first] = date;
  return found;
}

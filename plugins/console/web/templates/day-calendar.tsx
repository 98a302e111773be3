import { dayText } from '../parts/times.ts';
import { words } from '../words/words.ts';
import { type DayOutcomes, dayLength, onTimeOf } from './template-answer.ts';

/** The days of the last months, a column for each week and Monday first: the colour is the worst outcome. */
export function DayCalendar({ days }: { readonly days: readonly DayOutcomes[] }) {
  const text = words.value.template;
  const columnOf = ({ date }: DayOutcomes) => Math.floor((date / dayLength + 3) / 7);
  const first = columnOf(days[0] as DayOutcomes);
  return (
    <>
      <table class="day-calendar">
        <caption class="hidden">{text.calendar}</caption>
        <tbody>
          {Array.from({ length: 7 }, (_, weekday) => (
            <tr key={weekday}>
              {weeks(days, columnOf, first, weekday).map((day, week) => {
                if (!day) return <td key={week} />;
                const { owed, onTime } = onTimeOf([day]);
                const outcome = owed > 0 ? text.dayOutcome(onTime / owed, owed) : text.nothingOwed;
                const label = `${dayText(day.date, 'UTC')}: ${outcome}`;
                return (
                  <td key={day.date}>
                    <span
                      class={day.worst ? `is-${day.worst}` : undefined}
                      role="img"
                      aria-label={label}
                      title={label}
                    />
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <ul class="legend" aria-label={words.value.timeline.legend}>
        {[...shownWorst, null].map((state) => (
          <li key={state}>
            <span class={state === null ? 'day' : `day is-${state}`} />{' '}
            {state === null ? text.nothingOwed : words.value.states[state]}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The states that days have most. */
const shownWorst = ['fulfilled', 'fulfilled_late', 'failed', 'missed'] as const;

/** The days of one weekday, week by week; undefined where the range has none. */
function weeks(days: readonly DayOutcomes[], columnOf: (day: DayOutcomes) => number, first: number, weekday: number) {
  const columns = columnOf(days.at(-1) as DayOutcomes) - first + 1;
  const found: (DayOutcomes | undefined)[] = Array.from({ length: columns });
  for (const day of days) if ((new Date(day.date).getUTCDay() + 6) % 7 === weekday) found[columnOf(day) - first] = day;
  return found;
}

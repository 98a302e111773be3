import { query, setQuery } from '../app/router.ts';
import { TextFilter } from '../lists/choice.tsx';
import { Act } from '../parts/act.tsx';
import { dayText, ownZone, timeText } from '../parts/times.ts';
import { words } from '../words/words.ts';
import { isFollowing, type PeriodName, period, periods, rested, showNow, showPeriod, turn, view } from './view.ts';

/** What of the rows is shown, by the value of the filter. */
export const filters = ['all', 'bad', 'running'] as const;
export type Filter = (typeof filters)[number];

/** The filter of the URL. */
export const filterOf = (value: string | null): Filter => filters.find((name) => name === value) ?? 'all';

/** Which time is seen, and other ones. */
export function Periods() {
  const text = words.value.timeline;
  return (
    <div class="filters tools">
      <fieldset class="choice">
        <legend class="hidden">{text.period}</legend>
        {(Object.keys(periods) as PeriodName[]).map((name) => (
          <label key={name}>
            <input type="radio" name="period" checked={period.value === name} onChange={() => showPeriod(name)} />
            {text.periods[name]}
          </label>
        ))}
      </fieldset>
      <div class="acts">
        <Act label={text.earlier} act={() => turn(-1)}>
          ‹
        </Act>
        <Act act={showNow} disabled={isFollowing.value && view.value === rested.value}>
          {text.now}
        </Act>
        <Act label={text.later} act={() => turn(1)}>
          ›
        </Act>
      </div>
      <SeenTime />
    </div>
  );
}

/** Which time is seen, in words. */
function SeenTime() {
  const { from, span } = view.value;
  const [first, last] = [dayText(from), dayText(from + span)];
  const start = `${first} ${timeText(from)}`;
  const end = first === last ? timeText(from + span) : `${last} ${timeText(from + span)}`;
  return (
    <span class="soft seen">
      {words.value.timeline.seen(start, end)}
      <span class="zone">, {ownZone}</span>
    </span>
  );
}

/** Which rows are shown, with how many each choice would show. */
export function RowFilters({ counts }: { readonly counts: Readonly<Record<Filter, number>> }) {
  const text = words.value.timeline;
  const chosen = filterOf(query.value.get('show'));
  return (
    <div class="filters rows-shown">
      <TextFilter name="name" label={text.name} />
      <fieldset class="choice">
        <legend class="hidden">{text.show}</legend>
        {filters.map((name) => (
          <label key={name}>
            <input
              type="radio"
              name="show"
              checked={chosen === name}
              onChange={() => setQuery({ show: name === 'all' ? null : name })}
            />
            {text.filters[name]} <span class="count">{words.value.number(counts[name])}</span>
          </label>
        ))}
      </fieldset>
    </div>
  );
}

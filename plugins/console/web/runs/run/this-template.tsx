import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { hrefOf } from '../../app/router.ts';
import { useLive } from '../../data/answer.ts';
import { now } from '../../data/clock.ts';
import { recordOf } from '../../data/records.ts';
import { Facts } from '../../parts/facts.tsx';
import { Name } from '../../parts/name.tsx';
import { Schedule } from '../../parts/schedule.tsx';
import { dayText, spanText } from '../../parts/times.ts';
import { hasPassed, NextStart, readingWhilePassed } from '../../templates/next-start.tsx';
import type { Template } from '../../templates/template-answer.ts';
import { words } from '../../words/words.ts';
import type { TemplateRecord } from '../run-records.ts';

/** The Tasks of a day, counted by their states. */
interface DayCounts {
  readonly day: string;
  readonly owed: number;
  readonly fulfilled: number;
  readonly fulfilled_late: number;
  readonly failed: number;
  readonly missed: number;
  readonly running: number;
  readonly open: number;
}

const shownDays = 30;
/** How often the days are counted again, in milliseconds: a count of many Tasks costs more than it would tell. */
const readInterval = 60_000;
const day = 24 * 60 * 60 * 1000;
/** The states of a bar, from its foot: what needs a person stands on top. */
const states = ['fulfilled', 'running', 'open', 'fulfilled_late', 'missed', 'failed'] as const;

/** How the template of a run has been doing, with its links. */
export function ThisTemplate({ id }: { readonly id: number }) {
  const text = words.value.runs;
  const template = recordOf('RunTemplate', id) as TemplateRecord | null | undefined;
  const today = dateOf(now.value);
  const from = dateOf(now.value - (shownDays - 1) * day);
  const { value: rows = [] } = useLive<readonly DayCounts[]>(`/tasks/summary.json?runtemplate_id=${id}&from=${from}`, {
    every: readInterval,
  });
  const sum = (name: (typeof states)[number]) => rows.reduce((total, row) => total + row[name], 0);
  const ended = sum('fulfilled') + sum('fulfilled_late') + sum('failed') + sum('missed');
  const rate = ended === 0 ? null : sum('fulfilled') / ended;
  const onTime = rate === null ? null : text.rate(rate, ended);
  return (
    <section aria-label={text.thisTemplate}>
      <h2>{text.thisTemplate}</h2>
      {rows.length > 0 && (
        <>
          <Strip rows={rows} label={text.strip(onTime ?? text.noneEnded)} today={today} />
          <div class="scale">
            <span>{dayText(now.value - (shownDays - 1) * day)}</span>
            <span>{words.value.time.today}</span>
          </div>
        </>
      )}
      {template && (
        <Facts
          of={[
            [text.template, <Name key="name" of="RunTemplate" id={id} link />],
            [text.schedule, <Schedule key="schedule" {...template} />],
            [text.onTime, onTime],
            [
              text.duration,
              template.usual_duration === null
                ? null
                : text.usually(
                    template.usual_duration === 0 ? text.underSecond : spanText(template.usual_duration * 1000),
                  ),
            ],
            [text.next, <Next key="next" template={id} />],
            [
              text.seeAlso,
              <>
                <a href={hrefOf(`/runs?runtemplate_id=${id}`)}>{text.allRuns}</a> ·{' '}
                <a href={hrefOf(`/timeline?runtemplate_id=${id}`)}>{words.value.nav.timeline}</a>
              </>,
            ],
          ]}
        />
      )}
    </section>
  );
}

/** When its next run starts: it is read again once that has passed. */
function Next({ template: id }: { readonly template: number }) {
  const isPast = useSignal(false);
  const { value } = useLive<Template>(`/runtemplate/${id}.json`, {
    kinds: [`RunTemplate ${id}`, 'Pause'],
    ...(isPast.value && { every: readingWhilePassed }),
  });
  const hasBegun = value !== undefined && hasPassed(value);
  useEffect(() => {
    isPast.value = hasBegun;
  }, [hasBegun]);
  return value ? <NextStart of={value} /> : null;
}

interface StripProps {
  readonly rows: readonly DayCounts[];
  readonly label: string;
  readonly today: string;
}

function Strip({ rows, label, today }: StripProps) {
  const byDay = new Map(rows.map((row) => [row.day, row]));
  const most = Math.max(1, ...rows.map(({ owed }) => owed));
  const last = Date.parse(today);
  const days = Array.from({ length: shownDays }, (_, index) => dateOf(last - (shownDays - 1 - index) * day));
  return (
    <div class="day-bars" role="img" aria-label={label}>
      {days.map((date) => {
        const row = byDay.get(date);
        return (
          <span key={date} class="day" title={row && titleOfDay(row)}>
            {row &&
              states.map(
                (state) =>
                  row[state] > 0 && (
                    <i key={state} class={`is-${state}`} style={{ height: `${(100 * row[state]) / most}%` }} />
                  ),
              )}
          </span>
        );
      })}
    </div>
  );
}

function titleOfDay(row: DayCounts): string {
  const { states: names, number } = words.value;
  const counts = states.filter((state) => row[state] > 0).map((state) => `${number(row[state])} ${names[state]}`);
  return `${dayText(Date.parse(`${row.day}T12:00`))}: ${counts.join(', ')}`;
}

/** Writes a date as the API takes it. */
function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

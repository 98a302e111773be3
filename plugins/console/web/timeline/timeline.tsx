import { computed } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { bindKeys } from '../app/keys.ts';
import { query } from '../app/router.ts';
import { now } from '../data/clock.ts';
import { Mistake } from '../parts/mistake.tsx';
import { words } from '../words/words.ts';
import { choose, chosen, leaveChosen, readChosen } from './chosen.ts';
import { followColours } from './drawing/colours.ts';
import { Legend } from './legend.tsx';
import { summaryOf } from './picture/marks.ts';
import { PictureSource } from './picture/picture.ts';
import { Plot } from './plot.tsx';
import { filterOf, Periods, RowFilters } from './tools.tsx';
import { leaveView, pan, rested, showNow, turn, view, zoom } from './view.ts';

/** How much one key press zooms and moves. */
const zoomStep = 1.5;
const panStep = 1 / 8;

/** When did what run, and what comes? Rows of templates by company over time. */
export function Timeline() {
  const text = words.value.timeline;
  const source = useMemo(() => new PictureSource(), []);
  const { summaries, rows, counts, owing, unmet, isPast } = useMemo(() => shownRows(source), [source]);
  useEffect(() => {
    readChosen();
    const stops = [source.start(), followColours(), bindKeys(keys)];
    return () => {
      for (const stop of stops) stop();
      leaveChosen();
      leaveView();
    };
  }, [source]);
  const { all, bad } = counts.value;
  const isKnown = source.picture.value !== null;
  return (
    <div class="timeline">
      <div class="head">
        <h1>
          {!isKnown || owing.value === 0 ? (
            isKnown ? (
              text.nothing
            ) : (
              text.title
            )
          ) : (
            <>
              {unmet.value === 0 ? text.allOnTime : text.onTime(owing.value - unmet.value, owing.value)}{' '}
              {unmet.value > 0 && <b>{text.notOnTime(unmet.value, isPast.value)}</b>}{' '}
              {bad > unmet.value && text.recovered(bad - unmet.value, isPast.value)}
            </>
          )}
        </h1>
        <RowFilters counts={counts.value} />
      </div>
      <Periods />
      <Mistake of={source.error.value} />
      {!isKnown && source.error.value === null && <p class="soft">{words.value.shell.loading}</p>}
      {isKnown && rows.value.length === 0 && <p class="soft">{all === 0 ? text.noTemplates : text.noneShown}</p>}
      <Plot source={source} rows={rows} summaries={summaries} />
      <Legend />
    </div>
  );
}

const middle = () => {
  const { from, span } = view.peek();
  const at = chosen.peek()?.at;
  return at !== undefined && at >= from && at <= from + span ? at : from + span / 2;
};

const keys = {
  '+': () => zoom(1 / zoomStep, middle()),
  '=': () => zoom(1 / zoomStep, middle()),
  '-': () => zoom(zoomStep, middle()),
  ArrowLeft: () => pan(-panStep),
  ArrowRight: () => pan(panStep),
  '[': () => turn(-1),
  ']': () => turn(1),
  n: showNow,
  Escape: () => choose(null),
};

/** The rows that the filters leave, and what is said of all of them in the time that is seen. */
function shownRows(source: PictureSource) {
  const all = computed(() => source.picture.value?.rows ?? []);
  const summaries = computed(() => {
    const { from, span } = rested.value;
    return new Map(all.value.map((row) => [row.id, summaryOf(row, from, from + span)]));
  });
  const named = computed(() => {
    const text = (query.value.get('name') ?? '').toLowerCase();
    return text === '' ? all.value : all.value.filter(({ name }) => name.toLowerCase().includes(text));
  });
  const bad = computed(() => named.value.filter(({ id }) => summaries.value.get(id)?.isBad));
  const running = computed(() => named.value.filter(({ id }) => summaries.value.get(id)?.isRunning));
  const rows = computed(
    () => ({ all: named.value, bad: bad.value, running: running.value })[filterOf(query.value.get('show'))],
  );
  const counts = computed(() => ({ all: named.value.length, bad: bad.value.length, running: running.value.length }));
  const owing = computed(() => named.value.filter(({ id }) => summaries.value.get(id)?.rate !== null).length);
  const unmet = computed(() => bad.value.filter(({ id }) => summaries.value.get(id)?.isUnmet).length);
  const isPast = computed(() => rested.value.from + rested.value.span <= now.value);
  return { summaries, rows, counts, owing, unmet, isPast };
}

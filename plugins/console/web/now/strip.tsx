import { useSignal } from '@preact/signals';
import { go } from '../app/router.ts';
import { now } from '../data/clock.ts';
import { Dot } from '../parts/dot.tsx';
import { momentText, timeText } from '../parts/times.ts';
import { words } from '../words/words.ts';
import type { OutlookAnswer } from './answers.ts';

const hour = 3_600_000;
/** The states from the worst on, as the tip lists them. */
const states = ['missed', 'failed', 'fulfilled_late', 'running', 'fulfilled', 'cancelled', 'to_come'];
const alarming = new Set(states.slice(0, 3));
/** The states as they stand in a bar, from its top: what was not on time stands between what is to come and what went well. */
const stacked = ['to_come', ...alarming, 'running', 'cancelled', 'fulfilled'];
/** The share of the height of the strip that a bar has at least, and each state in it that was not on time. */
const [least, leastAlarming] = [8, 15];
/** How far the timeline shows what is around a bar, in milliseconds. */
const around = hour;

interface Bar {
  readonly start: number;
  readonly count: number;
  readonly counts: readonly (readonly [state: string, count: number])[];
}

function barsOf({ from, slot, slots, counts }: OutlookAnswer): Bar[] {
  return Array.from({ length: slots }, (_, index) => {
    const own = states.map((state) => [state, counts[state]?.[index] ?? 0] as const).filter(([, count]) => count > 0);
    const count = own.reduce((sum, [, each]) => sum + each, 0);
    return { start: Date.parse(from) + index * slot, count, counts: own };
  });
}

/**
 * The last 24 hours and the next 6 as bars. It is one control: the pointer or the arrows choose a bar, and a click or Enter
 * leads to its time on the timeline.
 */
export function Strip({ outlook }: { readonly outlook: OutlookAnswer }) {
  const text = words.value.now;
  const chosen = useSignal<number | null>(null);
  const bars = barsOf(outlook);
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const start = Date.parse(outlook.from);
  const share = (at: number) => (100 * (at - start)) / (outlook.slot * bars.length);
  const present = Math.floor((now.value - start) / outlook.slot);
  const index = Math.min(bars.length - 1, Math.max(0, chosen.value ?? present));
  const bar = bars[index];
  const choose = (at: number) => {
    chosen.value = Math.min(bars.length - 1, Math.max(0, at));
  };
  const open = () => {
    if (!bar) return;
    const at = (time: number) => new Date(time).toISOString();
    go(`/timeline?from=${at(bar.start - around)}&to=${at(bar.start + outlook.slot + around)}`);
  };
  const indexAt = ({ clientX, currentTarget }: { clientX: number; currentTarget: HTMLElement }) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.floor(((clientX - left) / width) * bars.length);
  };
  const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -4, PageDown: 4 };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (event.key === 'Enter') open();
    else if (event.key === 'Escape') chosen.value = null;
    else if (event.key === 'Home') choose(0);
    else if (event.key === 'End') choose(bars.length - 1);
    else if (step !== undefined) choose(index + step);
    else return;
    event.preventDefault();
  };
  return (
    <div class="outlook">
      <div
        class="strip"
        role="slider"
        tabIndex={0}
        aria-label={text.strip}
        aria-valuemin={0}
        aria-valuemax={bars.length - 1}
        aria-valuenow={index}
        aria-valuetext={bar && saidOf(bar, outlook.slot)}
        onPointerMove={(event) => {
          if (event.pointerType === 'mouse') choose(indexAt(event));
        }}
        onPointerLeave={(event) => {
          if (event.pointerType === 'mouse' && document.activeElement !== event.currentTarget) chosen.value = null;
        }}
        onClick={(event) => {
          const at = indexAt(event);
          // A finger chooses first: it has not seen what the bar says.
          const isKnown = at === chosen.value;
          choose(at);
          if (isKnown) open();
        }}
        onFocus={() => choose(index)}
        onBlur={() => {
          chosen.value = null;
        }}
        onKeyDown={onKeyDown}
      >
        {bars.map((each, at) => (
          <i
            key={each.start}
            class={`${each.count === 0 ? 'empty' : ''}${chosen.value === at ? ' chosen' : ''}`}
            style={{ height: `${heightOf(each, most)}%` }}
          >
            {partsOf(each).map(([state, count]) => (
              <b
                key={state}
                class={`is-${state}${alarming.has(state) ? ' alarming' : ''}`}
                style={{ flexGrow: count }}
              />
            ))}
          </i>
        ))}
      </div>
      {chosen.value !== null && bar && (
        <div class="tip" aria-hidden="true" style={{ left: `${Math.min(88, Math.max(12, share(bar.start)))}%` }}>
          <b>{spanOf(bar, outlook.slot)}</b>
          {bar.counts.length === 0 && <span>{text.nothingThen}</span>}
          {bar.counts.map(([state, count]) => (
            <span key={state}>
              <Dot state={state === 'to_come' ? 'open' : state} named={false} /> {text.inState(count, wordOf(state))}
            </span>
          ))}
        </div>
      )}
      <div class="now-scale" aria-hidden="true">
        <span class="first">
          <span class="day">{dayOf(start)} </span>
          {timeText(start)}
        </span>
        {marksOf(bars, share(now.value), share).map((mark) => (
          <span key={mark.start} class={mark.isForWide ? 'for-wide' : undefined} style={{ left: `${mark.left}%` }}>
            {mark.text}
          </span>
        ))}
        <span class="last">{timeText(start + outlook.slot * bars.length)}</span>
        <b style={{ left: `${share(now.value)}%` }}>{text.nowAt(timeText(now.value))}</b>
      </div>
    </div>
  );
}

function heightOf({ count, counts }: Bar, most: number): number {
  if (count === 0) return 0;
  const bad = counts.filter(([state]) => alarming.has(state)).length;
  return Math.max((100 * count) / most, bad * leastAlarming + (bad < counts.length ? least : 0));
}

function partsOf({ counts }: Bar): (readonly [state: string, count: number])[] {
  const known = new Map(counts);
  return stacked.flatMap((state) => (known.has(state) ? [[state, known.get(state) ?? 0] as const] : []));
}

function wordOf(state: string): string {
  return words.value.states[state] ?? state;
}

/** Returns the word for the day, without the time. */
function dayOf(at: number): string {
  return momentText(at, now.value).replace(timeText(at), '').trim();
}

function spanOf({ start }: Bar, slot: number): string {
  return `${momentText(start, now.value)} – ${timeText(start + slot)}`;
}

function saidOf(bar: Bar, slot: number): string {
  const text = words.value.now;
  const counts = bar.counts.map(([state, count]) => text.inState(count, wordOf(state)));
  return `${spanOf(bar, slot)}: ${counts.length > 0 ? counts.join(', ') : text.nothingThen}`;
}

/** The times of a day that the scale has on a wide screen, and on a narrow one. */
const marked = new Set(['00:00', '03:00', '06:00', '09:00', '12:00', '15:00', '18:00', '21:00']);
const markedNarrow = new Set(['00:00', '06:00', '12:00', '18:00']);
/** How far marks are at least from the first one, from the last one and from now, as shares of the width. */
const [fromFirst, fromLast, fromNow] = [20, 7, 8];
/** The same for the last one and for now on a narrow screen. */
const [fromLastNarrow, fromNowNarrow] = [19, 25];

function marksOf(bars: readonly Bar[], present: number, share: (at: number) => number) {
  return bars
    .map(({ start }) => ({ start, left: share(start), text: timeText(start) }))
    .filter(
      ({ left, text }) =>
        marked.has(text) && left > fromFirst && left < 100 - fromLast && Math.abs(left - present) > fromNow,
    )
    .map(({ left, text, ...mark }) => {
      const isClear = left < 100 - fromLastNarrow && Math.abs(left - present) > fromNowNarrow;
      return { ...mark, left, text, isForWide: !(markedNarrow.has(text) && isClear) };
    });
}

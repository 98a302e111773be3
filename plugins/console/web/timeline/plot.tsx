import { computed, type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { now } from '../data/clock.ts';
import { words } from '../words/words.ts';
import { Card } from './card.tsx';
import { choose, chosen, pointed } from './chosen.ts';
import { heldAt, heldText, lineOf } from './describe.ts';
import { draw } from './drawing/draw.ts';
import { companyAt, itemAt, type Layout, layoutOf, narrow, wideMeasures } from './drawing/layout.ts';
import { axisHeight } from './drawing/paint-axis.ts';
import { bindGestures } from './gestures.ts';
import { type Chosen, indexAt, indexOf, isSolidAt, startOf } from './picture/finding.ts';
import type { PictureRow, RowSummary } from './picture/marks.ts';
import type { PictureSource } from './picture/picture.ts';
import { openChosen, TemplateRow } from './template-row.tsx';
import { isAt, view } from './view.ts';

interface PlotProps {
  readonly source: PictureSource;
  readonly rows: ReadonlySignal<readonly PictureRow[]>;
  readonly summaries: ReadonlySignal<ReadonlyMap<number, RowSummary>>;
}

/** How far above and below what is seen rows are in the page, in CSS pixels. */
const beyond = 400;
/** How far beside a mark a pointer still means it, in CSS pixels. */
const reach = 5;
/** A finger is less exact. */
const touchReach = 14;
const isNarrow = matchMedia('(max-width: 800px)');
const cardWidth = 340;

/** The picture: names beside it, the axis above it, and the card of what is pointed at or chosen. */
export function Plot({ source, rows, summaries }: PlotProps) {
  const text = words.value.timeline;
  const field = useRef<HTMLDivElement>(null);
  const rowsCanvas = useRef<HTMLCanvasElement>(null);
  const axisCanvas = useRef<HTMLCanvasElement>(null);
  const measures = useSignal(isNarrow.matches ? narrow : wideMeasures(innerWidth));
  const layout = useMemo(() => computed(() => layoutOf(rows.value, measures.value)), [rows]);
  const shown = useSignal({ first: 0, last: -1 });
  const topCompany = useSignal<string | null>(null);
  /** The id of the template whose row has the focus: it stays in the page wherever one scrolls. */
  const focused = useSignal<number | null>(null);

  useEffect(() => {
    const element = field.current;
    if (!element || !rowsCanvas.current || !axisCanvas.current) return undefined;
    const header = document.querySelector('header');
    const place = () => {
      showSeen(element, layout.peek(), shown, source);
      // The name of the company whose rows are at the top stands beside the axis, once its own has gone.
      const covered = (header?.offsetHeight ?? 0) + axisHeight - element.getBoundingClientRect().top;
      topCompany.value = companyAt(layout.peek(), covered);
    };
    const stops = [
      draw({ rows: rowsCanvas.current, axis: axisCanvas.current, source, layout, shown }),
      layout.subscribe(() => place()),
      bindGestures(element, {
        edges: () => edgesOf(element, layout.peek()),
        onPoint: (event) => {
          pointed.value = found(event, element, layout.peek(), reach);
        },
        onPress: (event) => {
          const at = found(event, element, layout.peek(), event.pointerType === 'touch' ? touchReach : reach);
          choose(at);
          const row = at && element.querySelector<HTMLElement>(`[data-template="${at.template}"]`);
          row?.focus({ preventScroll: true });
          // On a narrow screen the card lies over the foot of it.
          if (isNarrow.matches) row?.scrollIntoView({ block: 'nearest' });
        },
        onDoublePress: () => {
          const row = layout.peek().items.find((item) => item.row?.id === chosen.peek()?.template)?.row;
          if (row) openChosen(row);
        },
      }),
    ];
    const resize = () => {
      const next = isNarrow.matches ? narrow : wideMeasures(element.clientWidth);
      if (next.names !== measures.peek().names) measures.value = next;
      element.parentElement?.style.setProperty('--names', `${next.names}px`);
      source.width.value = edgesOf(element, layout.peek()).width;
      place();
    };
    const sizes = new ResizeObserver(() => {
      // The axis stays beneath the navigation, however high that is.
      element.parentElement?.style.setProperty('--top', `${header?.offsetHeight ?? 0}px`);
      resize();
    });
    for (const each of [element, header]) if (each) sizes.observe(each);
    addEventListener('scroll', place, { passive: true });
    addEventListener('resize', resize);
    return () => {
      for (const stop of stops) stop();
      sizes.disconnect();
      removeEventListener('scroll', place);
      removeEventListener('resize', resize);
    };
  }, [layout]);

  const { items, height } = layout.value;
  const { first, last } = shown.value;
  const inPage = items.filter(
    (item, index) => (index >= first && index <= last) || (item.row !== null && item.row.id === focused.value),
  );
  return (
    <div
      class="plot"
      onPointerEnter={() => (isAt.value = true)}
      onPointerLeave={() => (isAt.value = focused.value !== null)}
    >
      <div class="axis" aria-hidden="true">
        <bdi class="company">{topCompany.value}</bdi>
        <span>{text.rate}</span>
        <canvas ref={axisCanvas} />
      </div>
      <div class="field" ref={field} style={{ height: `${height}px` }} onPointerLeave={() => (pointed.value = null)}>
        <ul aria-label={text.label}>
          {inPage.map(({ top, row, company }) =>
            row === null ? (
              <li key={`company ${top}`} class="group" style={{ top: `${top}px` }}>
                <h2>
                  <bdi>{company}</bdi>
                </h2>
              </li>
            ) : (
              <TemplateRow
                key={row.id}
                row={row}
                top={top}
                summary={summaries.value.get(row.id)}
                focused={focused}
                chosenAt={chosen.value?.template === row.id ? chosen.value.at : null}
              />
            ),
          )}
        </ul>
        <canvas ref={rowsCanvas} />
      </div>
      <CardPlace layout={layout} field={field} />
      <ChosenLine layout={layout} />
    </div>
  );
}

/** Puts into the page the rows that are seen, with some above and below, where it does not have them. */
function showSeen(
  element: HTMLElement,
  layout: Layout,
  shown: { value: { readonly first: number; readonly last: number } },
  source: PictureSource,
): void {
  const { top } = element.getBoundingClientRect();
  const [from, to] = [-top, innerHeight - top];
  const { first, last } = shown.value;
  const count = layout.items.length;
  const [seenFirst, seenLast] = [itemAt(layout, from), itemAt(layout, to)];
  if (last >= count || seenFirst < first || seenLast > last || last < 0) {
    shown.value = { first: itemAt(layout, from - beyond), last: itemAt(layout, to + beyond) };
  }
  const ids = layout.items.slice(seenFirst, seenLast + 1).flatMap(({ row }) => row?.id ?? []);
  if (ids.join() !== source.seen.peek().join()) source.seen.value = ids;
}

function edgesOf(element: HTMLElement, { measures }: Layout) {
  const { left, width } = element.getBoundingClientRect();
  return { left: left + measures.names, width: Math.max(1, width - measures.names) };
}

/** Finds what is beneath a pointer: a window or slot, or a span in which nothing starts. */
function found(event: PointerEvent, element: HTMLElement, layout: Layout, reach: number): Chosen | null {
  const { left, width } = edgesOf(element, layout);
  const { from, span } = view.peek();
  const x = event.clientX - left;
  const item = layout.items[itemAt(layout, event.clientY - element.getBoundingClientRect().top)];
  if (!item?.row || x < 0) return null;
  const time = from + (x / width) * span;
  const margin = (reach / width) * span;
  const index = indexAt(item.row, time, margin, now.peek());
  const isHeld = heldAt(item.row, time) !== undefined || (item.row.off !== null && time > now.peek());
  // A pause within a window is what one points at there, beside what ran.
  const isPause = isHeld && (index < 0 || (item.row.marks !== null && !isSolidAt(item.row.marks, index, time, margin)));
  if (isPause) return { template: item.row.id, at: time };
  return index >= 0 ? { template: item.row.id, at: startOf(item.row, index) } : null;
}

/** Puts the card beside what it is about. */
function CardPlace({
  layout,
  field,
}: {
  readonly layout: ReadonlySignal<Layout>;
  readonly field: { readonly current: HTMLElement | null };
}) {
  const text = words.value.timeline;
  const at = pointed.value ?? chosen.value;
  const isChosen = at !== null && at === chosen.value;
  const { items, measures } = layout.value;
  const item = at === null ? undefined : items.find(({ row }) => row?.id === at.template);
  if (!at || !item?.row) return null;
  const { from, span } = view.value;
  const box = field.current?.getBoundingClientRect();
  const width = (box?.width ?? 0) - measures.names;
  const x = measures.names + Math.min(width, Math.max(0, ((at.at - from) / span) * width));
  const left = Math.max(0, Math.min(x, (box?.width ?? 0) - cardWidth));
  const top = axisHeight + item.top;
  const below = top + measures.row + 4;
  const isAbove = (box?.top ?? 0) - axisHeight + below > innerHeight - 230;
  return (
    <section
      class={`card${isChosen ? ' chosen' : ''}${isAbove ? ' above' : ''}`}
      aria-label={text.card}
      style={{ '--card-left': `${left}px`, '--card-top': `${isAbove ? top - 4 : below}px` }}
    >
      <Card key={`${at.template} ${at.at}`} row={item.row} at={at.at} isChosen={isChosen} />
      {isChosen && (
        <button type="button" class="plain close" aria-label={words.value.act.close} onClick={() => choose(null)}>
          ×
        </button>
      )}
    </section>
  );
}

/** Says what is chosen to those who do not see the picture: only when that changes. */
function ChosenLine({ layout }: { readonly layout: ReadonlySignal<Layout> }) {
  const at = chosen.value;
  const row = at === null ? null : layout.value.items.find((item) => item.row?.id === at.template)?.row;
  const index = row && at ? indexOf(row, at.at) : -1;
  const hold = row && at && index < 0 ? heldAt(row, at.at) : undefined;
  return (
    <p class="hidden" role="status">
      {row && index >= 0 && lineOf(row, index, now.value)}
      {hold && heldText(hold, now.value)}
    </p>
  );
}

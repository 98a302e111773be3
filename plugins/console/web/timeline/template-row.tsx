import type { Signal } from '@preact/signals';
import { go, hrefOf } from '../app/router.ts';
import { now } from '../data/clock.ts';
import { words } from '../words/words.ts';
import { open, showOneByOne } from './card.tsx';
import { choose, chosen } from './chosen.ts';
import { lineOf } from './describe.ts';
import { indexOf, nearestIndex, nextIndex, startOf } from './picture/finding.ts';
import type { PictureRow, RowSummary } from './picture/marks.ts';
import { isAt, moveTo, rested, view } from './view.ts';

interface TemplateRowProps {
  readonly row: PictureRow;
  /** In CSS pixels. */
  readonly top: number;
  readonly summary: RowSummary | undefined;
  readonly focused: Signal<number | null>;
  /** What of this row is chosen; null = nothing is. */
  readonly chosenAt: number | null;
}

/** A row: its template and how often it was on time. The keys move through its runs while it has the focus. */
export function TemplateRow({ row, top, summary, focused, chosenAt }: TemplateRowProps) {
  const text = words.value.timeline;
  const isFocused = focused.value === row.id;
  return (
    <li
      data-row=""
      data-template={row.id}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: The keyboard moves from row to row, and through the runs of one.
      tabIndex={0}
      class="template"
      style={{ top: `${top}px` }}
      onFocusIn={() => {
        focused.value = row.id;
        isAt.value = true;
      }}
      onFocusOut={() => {
        focused.value = null;
        isAt.value = false;
      }}
      onFocus={({ currentTarget, target }) => {
        // A press chooses what it is at; the keyboard what is nearest to what was chosen before.
        if (target === currentTarget && currentTarget.matches(':focus-visible') && chosen.peek()?.template !== row.id)
          chooseNearest(row);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.target === event.currentTarget) {
          event.preventDefault();
          openChosen(row);
          return;
        }
        const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : null;
        if (step === null || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        chooseNext(row, step);
      }}
    >
      <a class="name" href={hrefOf(`/templates/${row.id}`)} title={row.name}>
        <bdi>{row.name}</bdi>
      </a>
      <span class="rate" title={text.rateLong}>
        {summary?.rate === null || summary === undefined ? '–' : percent(summary.rate)}
      </span>
      {isFocused && <Runs row={row} chosenAt={chosenAt} />}
    </li>
  );
}

/** Writes a share; one that is not whole is not rounded to be so. */
function percent(share: number): string {
  const format = { style: 'percent', maximumFractionDigits: 1 } as const;
  return (Math.floor(share * 1000) / 1000).toLocaleString(words.value.code, format);
}

function chooseNearest(row: PictureRow): void {
  const { from, span } = view.peek();
  const time = chosen.peek()?.at ?? Math.min(now.peek(), from + span);
  const index = nearestIndex(row, time);
  if (index >= 0) show(row, index);
}

function chooseNext(row: PictureRow, step: 1 | -1): void {
  const at = chosen.peek();
  const index = at?.template === row.id ? indexOf(row, at.at) : -1;
  if (index < 0) {
    chooseNearest(row);
    return;
  }
  const next = nextIndex(row, index, step);
  if (next >= 0) show(row, next);
}

/** Opens what is chosen of a row, or else its template. */
export function openChosen(row: PictureRow): void {
  const at = chosen.peek();
  const index = at?.template === row.id ? indexOf(row, at.at) : -1;
  if (index >= 0) open(row, index);
  else go(`/templates/${row.id}`);
}

/** Chooses a window or slot, and moves the view to where it is seen. */
function show(row: PictureRow, index: number): void {
  const at = startOf(row, index);
  choose({ template: row.id, at });
  const { from, span } = view.peek();
  const edge = span * 0.05;
  if (at < from + edge) moveTo({ from: at - span / 4, span });
  else if (at > from + span - edge) moveTo({ from: at - (span * 3) / 4, span });
}

/** How many runs are listed for those who do not see the picture, on each side of the one that is chosen. */
const maxListed = 50;

/** What the picture shows of a row, as a list. */
function Runs({ row, chosenAt }: { readonly row: PictureRow; readonly chosenAt: number | null }) {
  const text = words.value.timeline;
  const { from, span } = rested.value;
  const chosenIndex = chosenAt === null ? -1 : indexOf(row, chosenAt);
  const middle = chosenIndex >= 0 ? chosenIndex : nearestIndex(row, Math.min(now.peek(), from + span));
  const indexes = middle < 0 ? [] : [...near(row, middle, -1).reverse(), middle, ...near(row, middle, 1)];
  return (
    <ul class="hidden" aria-label={text.runsOf(row.name)}>
      {indexes.map((index) => {
        const id = row.marks?.id[index] ?? 0;
        const line = lineOf(row, index, now.value);
        return (
          <li key={index}>
            {row.bars ? (
              <button type="button" tabIndex={-1} onClick={() => showOneByOne(row, index)}>
                {line}
              </button>
            ) : (
              <a tabIndex={-1} href={hrefOf(id > 0 ? `/runs/${id}` : `/templates/${row.id}`)}>
                {line}
              </a>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Returns the windows or slots before or after one, as far as they are seen. */
function near(row: PictureRow, middle: number, step: 1 | -1): number[] {
  const { from, span } = rested.value;
  const found: number[] = [];
  for (let at = nextIndex(row, middle, step); at >= 0 && found.length < maxListed; at = nextIndex(row, at, step)) {
    const start = startOf(row, at);
    if (start < from || start >= from + span) break;
    found.push(at);
  }
  return found;
}

import type { Chosen } from '../picture/finding.ts';
import { endOf, indexOf, isOverdue, isToCome, startOf } from '../picture/finding.ts';
import {
  attemptKinds,
  type Bars,
  isBadShade,
  type Marks,
  numberOf,
  type PictureRow,
  shades,
} from '../picture/marks.ts';
import type { Colours } from './colours.ts';
import type { Layout } from './layout.ts';

/** A canvas, and which time and rows it shows. Sizes are CSS pixels. */
export interface Canvas {
  readonly context: CanvasRenderingContext2D;
  readonly width: number;
  readonly height: number;
  /** The time at the left edge. */
  readonly from: number;
  /** CSS pixels per millisecond. */
  readonly scale: number;
  readonly now: number;
  readonly colours: Colours;
}

/** The rows that are painted: the canvas begins at the top of the first one. */
interface PaintedRows {
  readonly layout: Layout;
  readonly first: number;
  readonly last: number;
}

/** The half heights of what is drawn. */
const [solid, hollow, pale, tick, broken] = [7, 6, 8, 10, 3.5];
const leastWidth = 3;
/** The least height of a bar. */
const leastBar = 5;
const [open, running, late] = [numberOf('open'), numberOf('running'), numberOf('fulfilled_late')];

/** Has nothing painted where names stand above what is drawn of their rows. */
export function keepNamesFree({ context, width }: Canvas, { layout, first, last }: PaintedRows): void {
  const { items, measures } = layout;
  const origin = items[first]?.top ?? 0;
  context.beginPath();
  for (let at = first; at <= last; at++) {
    const item = items[at];
    if (item?.row) context.rect(-5, item.top - origin + measures.middle - 14, width + 10, 28);
  }
  context.clip();
}

/** Paints what is pale and hatched of rows, which what ran stands above. */
export function paintWindowsOfRows(canvas: Canvas, rows: PaintedRows): void {
  const { context } = canvas;
  context.globalAlpha = 0.17;
  eachRow(rows, ({ marks }, y) => marks && paintWindows(canvas, marks, y));
  context.globalAlpha = 1;
  const hatch = hatchOf(canvas);
  eachRow(rows, (row, y) => paintHeld(canvas, row, y, hatch));
}

/** Paints what ran of rows, and the deadlines above it. */
export function paintRunsOfRows(canvas: Canvas, rows: PaintedRows): void {
  const { context, colours } = canvas;
  eachRow(rows, (row, y) => {
    if (row.bars) paintBars(canvas, row.bars, y + solid);
    else if (row.marks) paintRuns(canvas, row, row.marks, y);
  });
  context.fillStyle = colours.soft;
  eachRow(rows, ({ marks }, y) => marks && paintDeadlines(canvas, marks, y));
}

function eachRow({ layout, first, last }: PaintedRows, paint: (row: PictureRow, y: number) => void): void {
  const { items, measures } = layout;
  const origin = items[first]?.top ?? 0;
  for (let at = first; at <= last; at++) {
    const item = items[at];
    if (item?.row) paint(item.row, item.top - origin + measures.middle);
  }
}

/** Paints the windows until their deadlines. */
function paintWindows({ context, width, from, scale, colours }: Canvas, marks: Marks, y: number): void {
  for (let each = 0; each < marks.count; each++) {
    const at = marks.order[each] ?? 0;
    const left = ((marks.start[at] ?? 0) - from) * scale;
    const length = ((marks.deadline[at] ?? 0) - (marks.start[at] ?? 0)) * scale;
    if (left > width || left + length < 0 || length < leastWidth) continue;
    context.fillStyle = colours.of[shades[marks.shade[at] ?? 0] ?? 'to_come'];
    const begin = Math.max(-1, left);
    context.fillRect(begin, y - pale, Math.min(width + 1, left + length) - begin, 2 * pale);
  }
}

/** Paints what ran, and where nothing did the outline of what might have. */
function paintRuns(canvas: Canvas, row: PictureRow, marks: Marks, y: number): void {
  const { context, width, from, scale, colours, now } = canvas;
  for (let each = 0; each < marks.count; each++) {
    const at = marks.order[each] ?? 0;
    const shade = marks.shade[at] ?? 0;
    const left = ((marks.start[at] ?? 0) - from) * scale;
    if (left > width) continue;
    const [begin, end] = [marks.attempts[at] ?? 0, marks.attempts[at + 1] ?? 0];
    const colour = isOverdue(marks, at, now) ? colours.of.fulfilled_late : colours.of[shades[shade] ?? 'to_come'];
    if (begin === end) {
      const length = Math.max(leastWidth + 1, (row.usual ?? 0) * scale);
      const room = Math.max(leastWidth + 1, ((marks.end[at] ?? 0) - (marks.start[at] ?? 0)) * scale - 2);
      const shown = Math.min(length, room);
      const dueLeft = isToCome(marks, at) ? ((marks.due[at] ?? 0) - from) * scale : left;
      if (dueLeft + shown < 0) continue;
      // A run whose attempts are not listed ran nevertheless.
      if (shade === late || shade === running || shade === numberOf('fulfilled')) {
        context.fillStyle = colour;
        context.fillRect(left, y - solid, shown, 2 * solid);
      } else {
        context.strokeStyle = colour;
        context.lineWidth = 1.5;
        context.strokeRect(dueLeft + 0.75, y - hollow, shown, 2 * hollow);
      }
      continue;
    }
    for (let attempt = begin; attempt < end; attempt++)
      paintAttempt(canvas, marks, { attempt, at, colour, isOnly: end - begin === 1 }, y);
  }
}

function paintAttempt(
  { context, width, from, scale, colours, now }: Canvas,
  marks: Marks,
  {
    attempt,
    at,
    colour,
    isOnly,
  }: { readonly attempt: number; readonly at: number; readonly colour: string; readonly isOnly: boolean },
  y: number,
): void {
  const start = marks.attemptStart[attempt] ?? 0;
  const end = Math.min(marks.attemptEnd[attempt] ?? 0, Math.max(now, start));
  const left = (start - from) * scale;
  const right = Math.max(left + leastWidth, (end - from) * scale);
  if (left > width || right < 0) return;
  const shade = marks.shade[at] ?? 0;
  // An attempt that broke, of a run that went well or may still do so, is lower than the one that counts.
  const isBroken = !isOnly && marks.attemptKind[attempt] === attemptKinds.broke && shade <= late;
  context.fillStyle = isBroken ? colours.of.failed : shade === open ? colours.of.failed : colour;
  const half = isBroken || shade === open ? broken : solid;
  const begin = Math.max(-1, left);
  context.fillRect(begin, y - half, Math.min(width + 1, right) - begin, 2 * half);
  const deadline = ((marks.deadline[at] ?? 0) - from) * scale;
  if (shade !== running || right <= deadline) return;
  context.fillStyle = colours.of.fulfilled_late;
  context.fillRect(
    Math.max(begin, deadline),
    y - half,
    Math.min(width + 1, right) - Math.max(begin, deadline),
    2 * half,
  );
}

/** Paints the ticks of deadlines, where there is room for them. */
function paintDeadlines({ context, width, from, scale }: Canvas, marks: Marks, y: number): void {
  for (let at = 0; at < marks.count; at++) {
    const deadline = marks.deadline[at] ?? 0;
    const left = (deadline - from) * scale;
    if (left < 0 || left > width || (deadline - (marks.start[at] ?? 0)) * scale < 14) continue;
    context.fillRect(left - 0.5, y - tick, 1, 2 * tick);
  }
}

/**
 * Paints what is counted: a bar for each slot, as high as its number is beside the largest one of the row. What was not on time
 * stands on what was, by its share, and is painted last, so that one among many is seen as well.
 */
function paintBars({ context, width, from, scale, colours }: Canvas, bars: Bars, bottom: number): void {
  const length = bars.slot * scale;
  const gap = length >= leastWidth ? 1 : 0;
  const first = Math.max(0, Math.floor((from - bars.from) / bars.slot));
  const last = Math.min(bars.total.length, Math.ceil((from + width / scale - bars.from) / bars.slot));
  const bad: number[] = [];
  for (let at = first; at < last; at++) {
    const count = bars.total[at] ?? 0;
    if (count === 0) continue;
    let shade = bars.worst[at] ?? 0;
    const isBad = isBadShade(shade);
    if (isBad) bad.push(at);
    while (shade > 0 && (isBadShade(shade) || !bars.of[shade]?.[at])) shade -= 1;
    context.fillStyle = colours.of[shades[shade] ?? 'to_come'];
    // As high as any bar of the row where some were not on time, because others stand beside it.
    const height = isBad ? 2 * solid : leastBar + ((2 * solid - leastBar) * count) / bars.most;
    context.fillRect((bars.from - from) * scale + at * length, bottom - height, Math.max(1, length - gap), height);
  }
  for (const at of bad) {
    const count = bars.total[at] ?? 0;
    const shares = shades.map((_shade, shade) => (isBadShade(shade) ? (bars.of[shade]?.[at] ?? 0) : 0));
    const sum = shares.reduce((one, other) => one + other, 0);
    const height = Math.max(leastBar, (2 * solid * sum) / count);
    let top = bottom - 2 * solid;
    for (let shade = shades.length - 1; shade >= 0; shade--) {
      const own = (height * (shares[shade] ?? 0)) / sum;
      context.fillStyle = colours.of[shades[shade] ?? 'failed'];
      context.fillRect((bars.from - from) * scale + at * length, top, Math.max(2, length - gap), own);
      top += own;
    }
  }
}

/** Paints the spans in which nothing starts: pauses, maintenance, and all time to come of what is switched off. */
function paintHeld(
  { context, width, from, scale, now }: Canvas,
  row: PictureRow,
  y: number,
  hatch: CanvasPattern | null,
): void {
  if (!hatch || (row.held.length === 0 && row.off === null)) return;
  context.fillStyle = hatch;
  for (const span of row.held) fill((span.from - from) * scale, (span.to - from) * scale);
  if (row.off !== null) fill((now - from) * scale, width);
  function fill(left: number, right: number): void {
    const [begin, end] = [Math.max(0, left), Math.min(width, right)];
    if (end > begin) context.fillRect(begin, y - pale, end - begin, 2 * pale);
  }
}

let hatchTile: { readonly key: string; readonly tile: HTMLCanvasElement } | null = null;

/** Makes the pattern of what is held: lines that lean, as fine as the screen can show them. */
function hatchOf({ context, colours }: Canvas): CanvasPattern | null {
  const ratio = devicePixelRatio;
  const key = `${ratio} ${colours.of.cancelled}`;
  if (hatchTile?.key !== key) {
    const size = Math.round(7 * ratio);
    const tile = document.createElement('canvas');
    tile.width = size;
    tile.height = size;
    const lines = tile.getContext('2d');
    if (!lines) return null;
    lines.strokeStyle = colours.of.cancelled;
    lines.globalAlpha = 0.55;
    lines.lineWidth = ratio;
    for (const shift of [-size, 0, size]) {
      lines.moveTo(shift, size);
      lines.lineTo(shift + size, 0);
    }
    lines.stroke();
    hatchTile = { key, tile };
  }
  const pattern = context.createPattern(hatchTile.tile, 'repeat');
  pattern?.setTransform(new DOMMatrix().scale(1 / ratio));
  return pattern;
}

/** Paints a frame about what is chosen. */
export function paintChosen(
  canvas: Canvas,
  { layout, first, last }: PaintedRows,
  chosen: Chosen,
  colour: string,
): void {
  const { context, from, scale, now, width } = canvas;
  for (let at = first; at <= last; at++) {
    const item = layout.items[at];
    if (item?.row?.id !== chosen.template) continue;
    const index = indexOf(item.row, chosen.at);
    if (index < 0) return;
    const left = Math.max(-4, (startOf(item.row, index) - from) * scale - 1);
    const right = Math.min(width + 4, (endOf(item.row, index, now) - from) * scale + 1);
    const y = item.top - (layout.items[first]?.top ?? 0) + layout.measures.middle;
    context.globalAlpha = 1;
    context.strokeStyle = colour;
    context.lineWidth = 2;
    context.beginPath();
    context.roundRect(left - 2, y - 12, Math.max(leastWidth, right - left) + 4, 24, 3);
    context.stroke();
    return;
  }
}

import { effect, type ReadonlySignal } from '@preact/signals';
import { now } from '../../data/clock.ts';
import { language } from '../../words/words.ts';
import { chosen, pointed } from '../chosen.ts';
import type { PictureSource } from '../picture/picture.ts';
import { view } from '../view.ts';
import { axisOf } from './axis.ts';
import { colours } from './colours.ts';
import type { Layout } from './layout.ts';
import { type Canvas, keepNamesFree, paintChosen, paintRunsOfRows, paintWindowsOfRows } from './paint.ts';
import { axisHeight, paintAxis, paintLines, paintNow } from './paint-axis.ts';

/** Which items of the layout are in the page: what is seen, and some above and below. */
export interface Shown {
  readonly first: number;
  readonly last: number;
}

interface Drawn {
  readonly rows: HTMLCanvasElement;
  readonly axis: HTMLCanvasElement;
  readonly source: PictureSource;
  readonly layout: ReadonlySignal<Layout>;
  readonly shown: ReadonlySignal<Shown>;
}

/**
 * Draws the picture, and again in the next frame whenever something of it changes. The canvas of the rows is as high as those
 * that are in the page and moves with them, so that scrolling draws nothing.
 * @returns a function that ends it.
 */
export function draw({ rows, axis, source, layout, shown }: Drawn): () => void {
  const rowsContext = rows.getContext('2d');
  const axisContext = axis.getContext('2d');
  let frame = 0;
  const paint = () => {
    frame = 0;
    const { value: palette } = colours;
    const width = source.width.peek();
    if (!rowsContext || !axisContext || !palette || width <= 0) return;
    const { from, span } = view.peek();
    const base = { width, from, scale: width / span, now: now.peek(), colours: palette };
    const { items, height: whole, measures } = layout.peek();
    const { first, last } = shown.peek();
    const top = items[first]?.top ?? 0;
    const lastItem = items[last];
    const bottom = lastItem ? lastItem.top + (lastItem.row ? measures.row : measures.group) : whole;
    const height = Math.max(0, bottom - top);
    const lines = axisOf(view.peek(), width);
    const shifts = source.picture.peek()?.shifts ?? [];
    sized(rowsContext, width, height);
    rows.style.top = `${top}px`;
    const canvas: Canvas = { ...base, context: rowsContext, height };
    const painted = { layout: layout.peek(), first, last };
    rowsContext.save();
    if (measures.names === 0) keepNamesFree(canvas, painted);
    paintLines(canvas, lines, shifts);
    paintWindowsOfRows(canvas, painted);
    paintNow(canvas);
    paintRunsOfRows(canvas, painted);
    const [at, under] = [chosen.peek(), pointed.peek()];
    if (under) paintChosen(canvas, painted, under, palette.soft);
    if (at) paintChosen(canvas, painted, at, palette.link);
    rowsContext.restore();
    sized(axisContext, width, axisHeight);
    paintAxis({ ...base, context: axisContext, height: axisHeight }, lines, shifts);
  };
  const later = () => {
    if (frame === 0) frame = requestAnimationFrame(paint);
  };
  const stop = effect(() => {
    for (const each of [view, layout, shown, colours, now, chosen, pointed, language, source.picture, source.width])
      void each.value;
    later();
  });
  addEventListener('resize', later);
  return () => {
    stop();
    removeEventListener('resize', later);
    cancelAnimationFrame(frame);
  };
}

/** Empties a canvas, with as many points as the screen has for its size. */
function sized(context: CanvasRenderingContext2D, width: number, height: number): void {
  const { canvas } = context;
  const ratio = devicePixelRatio;
  const [columns, lines] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width === columns && canvas.height === lines) {
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, columns, lines);
  } else {
    canvas.width = columns;
    canvas.height = lines;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
}

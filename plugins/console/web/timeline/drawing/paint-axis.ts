import { timeText } from '../../parts/times.ts';
import { words } from '../../words/words.ts';
import type { Shift } from '../picture/shifts.ts';
import type { Axis, AxisHead } from './axis.ts';
import type { Canvas } from './paint.ts';

/** How high the axis is, in CSS pixels: days above times. */
export const axisHeight = 42;
const [dayLine, timeLine] = [14, 32];

/** Paints the days and times above the rows. @param changes of the reader's clock. */
export function paintAxis(canvas: Canvas, { ticks, heads }: Axis, changes: readonly Shift[]): void {
  const { context, width, from, scale, colours, now } = canvas;
  const { timeline } = words.value;
  const xOf = (at: number) => (at - from) * scale;
  context.textBaseline = 'middle';
  const nowText = timeline.nowAt(timeText(now));
  context.font = `600 12px ${colours.font}`;
  const nowWidth = context.measureText(nowText).width;
  const nowLeft = Math.min(width - nowWidth, Math.max(0, xOf(now) - nowWidth / 2));
  const isNowSeen = xOf(now) >= 0 && xOf(now) <= width;
  const isFree = (left: number, right: number) => !isNowSeen || right + 8 < nowLeft || left - 8 > nowLeft + nowWidth;
  context.font = `12px ${colours.font}`;
  context.fillStyle = colours.soft;
  for (const { at, text } of ticks) {
    const left = xOf(at) + 4;
    const right = left + context.measureText(text).width;
    if (right <= width && isFree(left, right)) context.fillText(text, left, timeLine);
  }
  if (isNowSeen) {
    context.font = `600 12px ${colours.font}`;
    context.fillStyle = colours.rubric;
    context.fillText(nowText, nowLeft, timeLine);
  }
  paintHeads(canvas, heads);
  context.font = `12px ${colours.font}`;
  context.fillStyle = colours.ink;
  for (const { at, before, after } of changes) {
    const text = timeline.clockChange(timeText(before, 'UTC'), timeText(after, 'UTC'));
    const textWidth = context.measureText(text).width;
    if (xOf(at) < 0 || xOf(at) > width) continue;
    const left = Math.min(width - textWidth - 4, xOf(at) + 4);
    context.fillStyle = colours.paper;
    context.fillRect(left - 4, 2, textWidth + 8, 22);
    context.fillStyle = colours.ink;
    context.fillText(text, left, dayLine);
  }
}

/** Paints what stands above the lines: the first one at the left edge, where it leaves room for the next one. */
function paintHeads({ context, width, from, scale, colours }: Canvas, heads: readonly AxisHead[]): void {
  context.font = `600 12px ${colours.font}`;
  context.fillStyle = colours.ink;
  heads.forEach(({ at, text }, index) => {
    const left = (at - from) * scale + (index === 0 ? 0 : 4);
    const next = heads[index + 1];
    const end = next ? (next.at - from) * scale : width;
    if (left + context.measureText(text).width <= end) context.fillText(text, left, dayLine);
  });
}

/** Paints the lines of the axis through the rows, and the changes of the clock. */
export function paintLines(canvas: Canvas, { ticks }: Axis, changes: readonly Shift[]): void {
  const { context, width, height, from, scale, colours } = canvas;
  context.fillStyle = colours.line;
  for (const { at, isDay } of ticks) context.fillRect(Math.round((at - from) * scale), 0, isDay ? 2 : 1, height);
  context.strokeStyle = colours.soft;
  context.lineWidth = 1;
  context.setLineDash([2, 3]);
  for (const { at } of changes) {
    const x = Math.round((at - from) * scale) + 0.5;
    if (x < 0 || x > width) continue;
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, height);
    context.stroke();
  }
  context.setLineDash([]);
}

/** Paints the present time. */
export function paintNow({ context, width, height, from, scale, colours, now }: Canvas): void {
  const x = (now - from) * scale;
  if (x < 0 || x > width) return;
  context.globalAlpha = 1;
  context.fillStyle = colours.rubric;
  context.fillRect(x - 0.75, 0, 1.5, height);
}

import type { ComponentChildren } from 'preact';
import { classOf, type StyledSpan } from './sgr.ts';

interface LineTextProps {
  readonly text: string;
  readonly spans: readonly StyledSpan[];
  /** What is searched for is marked, in lower case; empty = nothing. */
  readonly needle?: string;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

const address = /https?:\/\/[^\s<>"'`\\^{}|]+/g;

/** The text of a line of output, with its styles, its links and what is searched for. */
export function LineText({ text, spans, needle = '' }: LineTextProps) {
  const links = linksIn(text);
  const marks = occurrences(text, needle);
  if (links.length === 0 && marks.length === 0 && spans.length === 0) return text;
  const children: ComponentChildren[] = [];
  let from = 0;
  for (const link of links) {
    children.push(...partsOf(text, { start: from, end: link.start }, spans, marks));
    children.push(
      <a key={`${link.start} link`} href={text.slice(link.start, link.end)} target="_blank" rel="noopener noreferrer">
        {partsOf(text, link, spans, marks)}
      </a>,
    );
    from = link.end;
  }
  children.push(...partsOf(text, { start: from, end: text.length }, spans, marks));
  return children;
}

function linksIn(text: string): Range[] {
  if (!text.includes('://')) return [];
  return [...text.matchAll(address)].map(({ 0: found, index }) => {
    // A sentence may end behind an address, and brackets may stand around it.
    const link = found.replace(/[.,;:!?)\]]+$/, '');
    return { start: index, end: index + link.length };
  });
}

/** Finds where a text has another one, in any case. */
function occurrences(text: string, needle: string): Range[] {
  if (needle === '') return [];
  const found: Range[] = [];
  const lower = text.toLowerCase();
  // A few letters are longer in lower case: then places would not be those of the text.
  if (lower.length !== text.length) return [];
  for (let start = lower.indexOf(needle); start >= 0; start = lower.indexOf(needle, start + needle.length))
    found.push({ start, end: start + needle.length });
  return found;
}

/** Draws a range of the text, in parts that have one style and are marked or not. */
function partsOf(text: string, { start, end }: Range, spans: readonly StyledSpan[], marks: readonly Range[]) {
  const inside = (place: number) => place > start && place < end;
  const edges = [...spans, ...marks].flatMap((range) => [range.start, range.end]).filter(inside);
  const places = [...new Set([start, ...edges, end])].sort((one, other) => one - other);
  return places.slice(0, -1).map((from, index) => {
    const part = text.slice(from, places[index + 1]);
    const style = spans.find((span) => span.start <= from && from < span.end)?.style;
    const content = style ? (
      <span key={from} class={classOf(style)}>
        {part}
      </span>
    ) : (
      part
    );
    const isMarked = marks.some((mark) => mark.start <= from && from < mark.end);
    return isMarked ? <mark key={from}>{content}</mark> : content;
  });
}

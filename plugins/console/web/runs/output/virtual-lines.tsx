import { useSignal } from '@preact/signals';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { WrappedRows } from './wrapped-rows.ts';

/** The height of a row, in pixels; the style has the same. */
const lineHeight = 20;
/** How many lines are drawn above and below those that are seen. */
const margin = 10;

interface VirtualLinesProps {
  readonly count: number;
  readonly label: string;
  /** Draws the line with that index. */
  readonly line: (index: number) => ComponentChildren;
  /** The rows that they take; null = each takes one. */
  readonly rows?: WrappedRows | null;
  readonly box: RefObject<HTMLElement | null>;
  /** Whether the last line stays in view. */
  readonly isAtEnd?: boolean;
  /** The reader has scrolled away from the last line, or back to it. */
  readonly onAtEnd?: (isAtEnd: boolean) => void;
}

/** Lines of one row each, or broken into several. Those alone are drawn that are seen. */
export function VirtualLines({ count, label, line, rows = null, box, isAtEnd = false, onAtEnd }: VirtualLinesProps) {
  const total = rows?.before(count) ?? count;
  const seen = useSignal({ top: 0, height: 600 });
  const lastTop = useRef(0);
  const measure = () => {
    const { current } = box;
    if (!current) return;
    const { scrollTop, clientHeight } = current;
    const { top, height } = seen.peek();
    if (top !== scrollTop || height !== clientHeight) seen.value = { top: scrollTop, height: clientHeight };
  };
  useEffect(() => {
    if (!box.current) return undefined;
    const observer = new ResizeObserver(measure);
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const { current } = box;
    if (isAtEnd && current) current.scrollTop = current.scrollHeight;
  }, [isAtEnd, total]);
  const onScroll = () => {
    const { current } = box;
    if (!current) return;
    const { scrollTop, scrollHeight, clientHeight } = current;
    const isLast = scrollTop + clientHeight >= scrollHeight - lineHeight;
    if (isLast) onAtEnd?.(true);
    else if (scrollTop < lastTop.current) onAtEnd?.(false);
    lastTop.current = scrollTop;
    measure();
  };
  const lineAt = (row: number) => rows?.lineAt(row) ?? row;
  const first = lineAt(Math.max(0, Math.floor(seen.value.top / lineHeight) - margin));
  const last = lineAt(Math.ceil((seen.value.top + seen.value.height) / lineHeight) + margin - 1);
  const end = Math.min(count, last + 1);
  const drawn = Array.from({ length: Math.max(0, end - first) }, (_, offset) => first + offset);
  return (
    <section
      ref={box}
      class="lines"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: The keyboard scrolls it.
      tabIndex={0}
      onScroll={onScroll}
      onKeyDown={(event) => {
        // The arrows scroll here; elsewhere they move from row to row.
        if (event.key.startsWith('Arrow')) event.stopPropagation();
      }}
    >
      <div class="all" style={{ height: `${total * lineHeight}px` }}>
        <div class="drawn" style={{ transform: `translateY(${(rows?.before(first) ?? first) * lineHeight}px)` }}>
          {drawn.map(line)}
        </div>
      </div>
    </section>
  );
}

/** Returns the height of a line that takes several rows, in pixels. */
export function heightOf(rows: WrappedRows, index: number): number {
  return (rows.before(index + 1) - rows.before(index)) * lineHeight;
}

/** Scrolls a row to the middle, where it is not seen. */
export function showRow(box: HTMLElement | null, row: number): void {
  if (!box) return;
  const top = row * lineHeight;
  if (top >= box.scrollTop && top + lineHeight <= box.scrollTop + box.clientHeight) return;
  box.scrollTop = Math.max(0, top - box.clientHeight / 2);
}

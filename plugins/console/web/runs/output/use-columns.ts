import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Measures how many characters of a line its box holds beside what stands before them; 0 = that is not known yet. */
export function useColumns(box: RefObject<HTMLElement | null>, isWrapped: boolean, drawn: unknown): number {
  const columns = useSignal(0);
  useEffect(() => {
    const { current } = box;
    if (!current || !isWrapped) return undefined;
    const measure = () => {
      // The number of the last line is the widest.
      const line = [...current.querySelectorAll('.line')].at(-1);
      const text = line?.querySelector('bdi');
      const context = document.createElement('canvas').getContext('2d');
      if (!line || !text || !context) return;
      const { font, paddingRight } = getComputedStyle(line);
      context.font = font;
      const letter = context.measureText('0'.repeat(sample)).width / sample;
      const before = text.getBoundingClientRect().left - line.getBoundingClientRect().left;
      const room = current.clientWidth - before - Number.parseFloat(paddingRight);
      columns.value = Math.max(minColumns, Math.floor(room / letter));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    measure();
    return () => observer.disconnect();
  }, [isWrapped, drawn]);
  return columns.value;
}

const sample = 100;
const minColumns = 10;

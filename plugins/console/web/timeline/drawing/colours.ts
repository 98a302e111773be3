import { effect, signal } from '@preact/signals';
import { scheme } from '../../app/scheme.ts';
import { type Shade, shades } from '../picture/marks.ts';

/** The colours of a scheme, as the styles have them. */
export interface Colours {
  readonly of: Readonly<Record<Shade, string>>;
  readonly paper: string;
  readonly ink: string;
  readonly soft: string;
  readonly line: string;
  readonly rubric: string;
  readonly link: string;
  readonly font: string;
}

const names: Readonly<Record<Shade, string>> = {
  to_come: 'planned',
  held: 'planned',
  fulfilled: 'fulfilled',
  cancelled: 'cancelled',
  open: 'cancelled',
  running: 'running',
  fulfilled_late: 'late',
  missed: 'missed',
  failed: 'failed',
};

/** The colours that are shown; null until they are known. */
export const colours = signal<Colours | null>(null);

/** Reads the colours, and again when another scheme is chosen. @returns a function that ends it. */
export function followColours(): () => void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const read = () => {
    colours.value = readColours();
  };
  dark.addEventListener('change', read);
  const stop = effect(() => {
    void scheme.value;
    // The scheme itself is shown by an effect of its own.
    queueMicrotask(read);
  });
  return () => {
    stop();
    dark.removeEventListener('change', read);
  };
}

/** A canvas needs the colours that `light-dark()` in the styles comes to: an element tells. */
function readColours(): Colours {
  const probe = document.createElement('span');
  document.body.append(probe);
  const of = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const found = {
    of: Object.fromEntries(shades.map((shade) => [shade, of(names[shade])])) as Record<Shade, string>,
    paper: of('paper'),
    ink: of('ink'),
    soft: of('soft'),
    line: of('line'),
    rubric: of('rubric'),
    link: of('link'),
    font: getComputedStyle(document.body).fontFamily,
  };
  probe.remove();
  return found;
}

import { moveTo, type View, view, zoom } from './view.ts';

interface Gestures {
  /** Returns where the picture begins and how wide it is, in CSS pixels from the left edge of the window. */
  edges(): { readonly left: number; readonly width: number };
  /** The pointer is somewhere without pressing. */
  onPoint(event: PointerEvent): void;
  /** The pointer was pressed and let go in one place. */
  onPress(event: PointerEvent): void;
  /** It was so twice. */
  onDoublePress(): void;
}

/** How far a press may move and still be one, in CSS pixels. */
const stillWithin = 5;
/** How much a turn of the wheel zooms, for each CSS pixel that it would scroll. */
const zoomPerPixel = 0.003;
const lineHeight = 16;

/**
 * Has pointers and wheels move the view: one pointer drags it, two zoom it, and the wheel moves it sideways, or zooms it about
 * the pointer with Ctrl. Scrolling up and down stays with the page.
 * @returns a function that ends it.
 */
export function bindGestures(field: HTMLElement, { edges, onPoint, onPress, onDoublePress }: Gestures): () => void {
  const pointers = new Map<number, number>();
  let start: { readonly view: View; readonly xs: readonly number[] } | null = null;
  let isStill = true;
  let pressedAt = { x: 0, y: 0 };

  const begin = () => {
    start = { view: view.peek(), xs: [...pointers.values()] };
  };
  const timeAt = (x: number, { from, span }: View) => {
    const { left, width } = edges();
    return from + ((x - left) / width) * span;
  };
  const drag = () => {
    const xs = [...pointers.values()];
    const [first = 0, second] = xs;
    const [startFirst = 0, startSecond] = start?.xs ?? [];
    if (!start) return;
    const { left, width } = edges();
    if (second === undefined || startSecond === undefined) {
      moveTo({ from: start.view.from - ((first - startFirst) / width) * start.view.span, span: start.view.span });
      return;
    }
    const ratio = Math.abs(startFirst - startSecond) / Math.max(20, Math.abs(first - second));
    const span = start.view.span * ratio;
    const held = timeAt((startFirst + startSecond) / 2, start.view);
    moveTo({ from: held - (((first + second) / 2 - left) / width) * span, span });
  };
  const handlers = {
    pointerdown(event: PointerEvent) {
      if (event.button !== 0 || isLink(event.target)) return;
      if (pointers.size === 0) {
        isStill = true;
        pressedAt = { x: event.clientX, y: event.clientY };
      }
      pointers.set(event.pointerId, event.clientX);
      begin();
    },
    pointermove(event: PointerEvent) {
      if (!pointers.has(event.pointerId)) {
        if (event.pointerType !== 'touch') onPoint(event);
        return;
      }
      pointers.set(event.pointerId, event.clientX);
      const moved = Math.hypot(event.clientX - pressedAt.x, event.clientY - pressedAt.y);
      if (isStill && moved < stillWithin && pointers.size === 1) return;
      if (isStill) field.setPointerCapture(event.pointerId);
      isStill = false;
      drag();
    },
    pointerup(event: PointerEvent) {
      if (!pointers.delete(event.pointerId)) return;
      if (isStill && pointers.size === 0) onPress(event);
      begin();
    },
    pointercancel(event: PointerEvent) {
      pointers.delete(event.pointerId);
      begin();
    },
  };
  const onWheel = (event: WheelEvent) => {
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? lineHeight : 1;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      zoom(Math.exp(event.deltaY * unit * zoomPerPixel), timeAt(event.clientX, view.peek()));
      return;
    }
    const aside = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
    if (Math.abs(aside) <= Math.abs(event.deltaY) && !event.shiftKey) return;
    event.preventDefault();
    const { from, span } = view.peek();
    moveTo({ from: from + ((aside * unit) / edges().width) * span, span });
  };
  const ended = new AbortController();
  const { signal } = ended;
  field.addEventListener('pointerdown', handlers.pointerdown, { signal });
  field.addEventListener('pointermove', handlers.pointermove, { signal });
  field.addEventListener('pointerup', handlers.pointerup, { signal });
  field.addEventListener('pointercancel', handlers.pointercancel, { signal });
  field.addEventListener('dblclick', ({ target }) => !isLink(target) && onDoublePress(), { signal });
  field.addEventListener('wheel', onWheel, { signal, passive: false });
  return () => ended.abort();
}

function isLink(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('a, button') !== null;
}

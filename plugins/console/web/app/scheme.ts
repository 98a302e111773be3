import { effect, signal } from '@preact/signals';

export const schemes = ['auto', 'light', 'dark'] as const;
type Scheme = (typeof schemes)[number];

const storageKey = 'horarium.scheme';

/** The colours that the reader has chosen for this browser. */
export const scheme = signal<Scheme>(schemes.find((name) => name === localStorage.getItem(storageKey)) ?? 'auto');

/** Shows the colours that are chosen. */
export function startScheme(): void {
  effect(() => {
    localStorage.setItem(storageKey, scheme.value);
    if (scheme.value === 'auto') delete document.documentElement.dataset['scheme'];
    else document.documentElement.dataset['scheme'] = scheme.value;
  });
}

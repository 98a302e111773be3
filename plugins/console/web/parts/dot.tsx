import { words } from '../words/words.ts';

/** The states in which nothing ran: their dots are hollow. */
const hollow: ReadonlySet<string> = new Set([
  'missed',
  'open',
  'held',
  'cancelled',
  'waived',
  'overdue',
  'pending',
  'set_aside',
  'scheduled',
  'skipped',
  'silent',
]);

/** The state of a run as a dot: its colour and its shape say what its word says, which screen readers hear. */
export function Dot({ state, named = true }: { readonly state: string; readonly named?: boolean }) {
  const word = words.value.states[state] ?? state;
  const shape = hollow.has(state) ? 'dot hollow' : 'dot';
  return named ? (
    <span class={`${shape} is-${state}`} role="img" aria-label={word} title={word} />
  ) : (
    <span class={`${shape} is-${state}`} aria-hidden="true" />
  );
}

import type { Message } from '../../data/problem.ts';
import { Clause } from '../clause.tsx';

/** A message, which screen readers read in its own language. */
export function Said({ of }: { readonly of: Message | null }) {
  return typeof of === 'object' && of !== null ? <Clause of={of.english} /> : of;
}

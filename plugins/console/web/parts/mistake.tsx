import type { Message } from '../data/problem.ts';
import { Said } from './text/said.tsx';

/** Says what went wrong, and screen readers hear it; null = nothing did. */
export function Mistake({ of }: { readonly of: Message | null }) {
  return (
    of !== null && (
      <p class="mistake" role="alert">
        <Said of={of} />
      </p>
    )
  );
}

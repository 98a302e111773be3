import type { ComponentChildren } from 'preact';

/** Says what went wrong, and screen readers hear it; null = nothing did. */
export function Mistake({ children }: { readonly children: ComponentChildren }) {
  return (
    children !== null && (
      <p class="mistake" role="alert">
        {children}
      </p>
    )
  );
}

import type { ComponentChildren } from 'preact';

type Fact = readonly [name: ComponentChildren, value: ComponentChildren];

/** Names and values of a record; those without a value are left out. */
export function Facts({ of }: { readonly of: readonly Fact[] }) {
  return (
    <dl class="facts">
      {of
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
    </dl>
  );
}

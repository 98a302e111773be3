import type { FieldChanges } from '../data/why.ts';

interface ChangedValue {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** How many characters of a value are shown. */
const maxShown = 60;

/** Lists what a save has changed: of fields with parts, such as an environment, each part. */
export function changedValues(changes: FieldChanges): ChangedValue[] {
  return Object.entries(changes).flatMap(([field, [before, after]]) => {
    if (!isParts(before) || !isParts(after)) return [{ name: field, before: textOf(before), after: textOf(after) }];
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names
      .map((name) => ({ name, before: textOf(before[name]), after: textOf(after[name]) }))
      .filter((each) => each.before !== each.after);
  });
}

function isParts(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

/** A value before and after: `TIMEOUT 30 → 5`. */
export function Changed({ name, before, after }: ChangedValue) {
  return (
    <code class="changed">
      <bdi>{name}</bdi> {before !== null && <bdi>{before}</bdi>} → <bdi>{after ?? '∅'}</bdi>
    </code>
  );
}

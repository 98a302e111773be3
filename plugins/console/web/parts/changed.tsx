import type { FieldChanges } from '../data/why.ts';
import { changedMembers } from '../form/values.ts';

/** A field, or a member of one such as a variable, before and after. */
export interface ChangedField {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** How many characters of a value are shown. */
const maxShown = 60;

/** Lists what a save has changed: of fields with members, such as an environment, each of them. */
export function changedFields(changes: FieldChanges): readonly ChangedField[] {
  return Object.entries(changes).flatMap(([field, [before, after]]) =>
    changedMembers(before, after).map(({ member, ...change }) => ({ name: member ?? field, ...change })),
  );
}

/** A value before and after, in a line: `TIMEOUT 30 → 5`. */
export function Changed({ name, before, after }: ChangedField) {
  return (
    <code class="changed">
      <bdi>{name}</bdi> {isThere(before) && <bdi>{shortText(before)}</bdi>} → <bdi>{shortText(after)}</bdi>
    </code>
  );
}

function shortText(value: unknown): string {
  if (!isThere(value)) return '∅';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

function isThere(value: unknown): boolean {
  return value !== null && value !== undefined;
}

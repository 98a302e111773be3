import { type FieldModel, fieldOf } from '../data/model.ts';
import type { ChangesSinceSuccess, FieldChanges, SavedChange } from '../data/why.ts';
import { changedMembers } from '../form/values.ts';
import { words } from '../words/words.ts';

/** A field, or a member of one such as a variable, before and after. */
export interface ChangedField {
  readonly name: string;
  /** Undefined = it is a member, whose name is all that it is called. */
  readonly field?: Pick<FieldModel, 'label' | 'lang'> | undefined;
  readonly before: unknown;
  readonly after: unknown;
}

/** How many characters of a value are shown. */
const maxShown = 60;

/** Lists what a save has changed: of fields with members, such as an environment, each of them. */
export function changedFields({ entity_type, changes }: SavedChange): readonly ChangedField[] {
  return Object.entries(changes).flatMap(([field, [before, after]]) =>
    changedMembers(before, after).map(({ member, ...change }) =>
      member === null ? { name: field, field: fieldOf(entity_type, field), ...change } : { name: member, ...change },
    ),
  );
}

/** The names of the fields that a save has changed. */
export function changedNames(kind: string, changes: FieldChanges): string {
  return Object.keys(changes)
    .map((name) => fieldOf(kind, name)?.label ?? name)
    .join(', ');
}

/** A difference between two runs, as a change is shown. */
export function ofDifference({ what, before, after }: ChangesSinceSuccess['differences'][number]): ChangedField {
  const label = words.value.runs.differences[what];
  return { name: what.replace(/^environment\./, ''), ...(label !== undefined && { field: { label } }), before, after };
}

/** What a field is called; a variable by its name. */
export function ChangedName({ of: { name, field } }: { readonly of: ChangedField }) {
  return field ? (
    <span lang={field.lang}>{field.label}</span>
  ) : (
    <code>
      <bdi>{name}</bdi>
    </code>
  );
}

/** A value before and after, in a line: `TIMEOUT 30 → 5`. */
export function Changed(changed: ChangedField) {
  const { before, after } = changed;
  return (
    <span class="changed">
      <ChangedName of={changed} />{' '}
      <code>
        {isThere(before) && <bdi>{shortText(before)}</bdi>} → <bdi>{shortText(after)}</bdi>
      </code>
    </span>
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

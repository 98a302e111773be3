import { type FieldModel, fieldOf } from '../data/model.ts';
import type { ChangesSinceSuccess, FieldChanges, SavedChange } from '../data/why.ts';
import { words } from '../words/words.ts';
import { type ChangedField, changedFields } from './differences.ts';

/** What has changed, with what people call it. */
export interface NamedChange extends ChangedField {
  /** Undefined = it is a part of a field, such as a variable, whose name is all that it is called. */
  readonly field?: Pick<FieldModel, 'label' | 'lang'> | undefined;
}

/** Lists what a save has changed, with the labels of the fields. */
export function namedChanges({ entity_type, changes }: SavedChange): readonly NamedChange[] {
  return Object.entries(changes).flatMap(([field, change]) =>
    changedFields({ [field]: change }).map((each) =>
      each.name === field ? { ...each, field: fieldOf(entity_type, field) } : each,
    ),
  );
}

/** The labels of the fields that a save has changed. */
export function changedNames(kind: string, changes: FieldChanges): string {
  return Object.keys(changes)
    .map((name) => fieldOf(kind, name)?.label ?? name)
    .join(', ');
}

/** A difference between two runs, as a change is shown. */
export function ofDifference({ what, before, after }: ChangesSinceSuccess['differences'][number]): NamedChange {
  const label = words.value.runs.differences[what];
  return { name: what.replace(/^environment\./, ''), ...(label !== undefined && { field: { label } }), before, after };
}

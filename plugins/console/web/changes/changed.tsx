import { words } from '../words/words.ts';
import { type ChangedField, shownPair } from './differences.ts';
import type { NamedChange } from './named-changes.ts';

/** A value before and after, in a line: `TIMEOUT 30 → 5`. */
export function Changed(changed: NamedChange) {
  const { before, after } = changed;
  return (
    <span class="changed">
      <ChangedName of={changed} />{' '}
      <code>
        <ChangedPair before={before} after={after} />
      </code>
    </span>
  );
}

/** What a field is called; a variable by its name. */
function ChangedName({ of: { name, field } }: { readonly of: NamedChange }) {
  return field ? (
    <span lang={field.lang}>{field.label}</span>
  ) : (
    <code>
      <bdi>{name}</bdi>
    </code>
  );
}

/** What differs of two values: `30 → 5`. */
export function ChangedPair({ before, after }: Omit<ChangedField, 'name'>) {
  const shown = shownPair(before, after);
  return (
    <>
      {shown.before !== null && <bdi>{shown.before}</bdi>} →{' '}
      {shown.after === null ? <i class="soft">{words.value.runs.differences['none']}</i> : <bdi>{shown.after}</bdi>}
    </>
  );
}

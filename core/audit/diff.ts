import type { FieldDescription } from '../field/field-description.ts';
import { isPlainObject } from '../field/value-path.ts';
import { memoized } from '../registry/memoized.ts';
import { mask, maskPair } from '../secret/ciphertext.ts';
import type { RowValues, TableDescription } from '../store/table.ts';
import { formatInstant } from '../time/instant.ts';
import type { Changes } from './changes.ts';

/** Whether changes of this field are written to the audit log. */
export function isAudited(column: FieldDescription): boolean {
  return column.name !== 'id' && !column.hidden && !column.unaudited;
}

const auditedColumns = memoized(({ columns }: TableDescription) => columns.filter(isAudited));

/**
 * Returns the audited fields whose values differ, as [before, after]; a row that does not exist counts as all null.
 * @param after the fields that it leaves out are as before.
 */
export function diff(
  description: TableDescription,
  before: RowValues | undefined,
  after: RowValues | undefined,
): Changes {
  const changes: Record<string, readonly [unknown, unknown]> = {};
  for (const column of auditedColumns(description)) {
    if (after && !(column.name in after)) continue;
    const previous = before?.[column.name] ?? null;
    const next = after?.[column.name] ?? null;
    if (!sameValue(previous, next)) changes[column.name] = displayed(column, previous, next);
  }
  return changes;
}

/** Returns the fields of `after` whose values differ from those of `before`. */
export function changedFields<R extends object>(before: R, after: R): Partial<R> {
  const changed = Object.entries(after).filter(([name, value]) => !sameValue((before as RowValues)[name], value));
  return Object.fromEntries(changed) as Partial<R>;
}

/** Compares plain data by value. */
function sameValue(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => sameValue(item, other[index]));
  if (!isPlainObject(one) || !isPlainObject(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length && keys.every((key) => key in other && sameValue(one[key], other[key]))
  );
}

/** The two values as the audit log shows them: secrets masked, instants formatted. */
function displayed(column: FieldDescription, previous: unknown, next: unknown): [unknown, unknown] {
  if (!column.secret && column.kind !== 'instant') return maskPair(previous, next);
  const display = (value: unknown) => (column.secret ? mask : formatInstant(value as number));
  return [previous === null ? null : display(previous), next === null ? null : display(next)];
}

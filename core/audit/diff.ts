import type { FieldRow } from '../field/field-table.ts';
import { isPlainObject } from '../field/value-path.ts';
import { mask, maskPair } from '../secret/ciphertext.ts';
import type { TableDescription } from '../store/table.ts';
import { formatInstant } from '../time/instant.ts';
import type { Changes } from './audit-log.ts';

type Values = Readonly<Record<string, unknown>>;

/** Whether a change of this field is a change of the record. */
export function isAudited(column: FieldRow): boolean {
  return column.name !== 'id' && !column.hidden && !column.unaudited;
}

/** The audited fields among `set` whose value differs from the row's, or all that are set when there is no row. */
export function diff(description: TableDescription, before: Values | undefined, after: Values | undefined): Changes {
  const changes: Record<string, readonly [unknown, unknown]> = {};
  for (const column of description.columns) {
    if (!isAudited(column)) continue;
    const was = before?.[column.name] ?? null;
    const is = after ? (column.name in after ? (after[column.name] ?? null) : was) : null;
    if (!sameValue(was, is)) changes[column.name] = shown(column, was, is);
  }
  return changes;
}

/** The fields of the second row that differ from the first one's. */
export function changedFields<R extends object>(before: R, after: R): Partial<R> {
  const changed = Object.entries(after).filter(([name, value]) => !sameValue((before as Values)[name], value));
  return Object.fromEntries(changed) as Partial<R>;
}

/** Equality of plain data. */
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

function shown(column: FieldRow, was: unknown, is: unknown): [unknown, unknown] {
  if (!column.secret && column.kind !== 'instant') return maskPair(was, is);
  const show = (value: unknown) => (column.secret ? mask : formatInstant(value as number));
  return [was === null ? null : show(was), is === null ? null : show(is)];
}

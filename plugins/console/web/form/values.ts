import type { FieldModel } from '../data/model.ts';
import type { FieldProblem } from '../data/problem.ts';

/** What a form holds: values as the API reads them. */
export type Values = Readonly<Record<string, unknown>>;

/** What the API shows in place of a secret; sent back, it keeps what is stored. */
export const mask = '••••••••';

/** Compares two values of a record: the order of members does not count. */
export function isSame(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other);
}

function canonical(value: unknown): string {
  return JSON.stringify(value ?? null, (_, each: unknown) =>
    each !== null && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );
}

/** What became of a value, or of one member of a map such as the environment. */
export interface ChangedMember {
  /** Null = the value itself. */
  readonly member: string | null;
  readonly before: unknown;
  readonly after: unknown;
}

/** Splits the change of a map into those of its members. Of a secret, it is known that it changed, and not how. */
export function changedMembers(before: unknown, after: unknown): readonly ChangedMember[] {
  if (!isMap(before) || !isMap(after)) return [{ member: null, before, after }];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => !isSame(before[name], after[name]));
  if (changed.length === 0) return [{ member: null, before: mask, after: mask }];
  return changed.map((member) => ({ member, before: before[member] ?? null, after: after[member] ?? null }));
}

/** Whether a value is a map: neither a list nor null. */
export function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields that a person may set: in a new record, or in one that is stored. */
export function writableFields(fields: readonly FieldModel[], isNew: boolean): readonly FieldModel[] {
  return fields.filter(({ read_only = false, create_only = false }) => !read_only && (isNew || !create_only));
}

/** Returns what a save sends: what differs from the record as it was read, or for a new one from what is the default. */
export function changesOf(fields: readonly FieldModel[], before: Values | null, values: Values): Values {
  const isNew = before === null;
  return Object.fromEntries(
    writableFields(fields, isNew)
      .filter(({ name, default: standard }) => !isSame(values[name], isNew ? standard : before[name]))
      .map(({ name }) => [name, values[name] ?? null]),
  );
}

/** The mistakes of a field and of what is in it: those of `environment.SHOP` are among those of `environment`. */
export function problemsOf(errors: readonly FieldProblem[], path: string): readonly FieldProblem[] {
  return errors.filter(({ field }) => field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`));
}

const units = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
] as const;

/** Writes seconds in the largest unit that has no rest, as fields accept it: `90m`, `2h`. */
export function durationText(value: unknown): string {
  if (typeof value !== 'number') return value === null || value === undefined ? '' : String(value);
  const [unit, length] = units.find(([, each]) => value > 0 && value % each === 0) ?? ['s', 1];
  return value === 0 ? '0' : `${value / length}${unit}`;
}

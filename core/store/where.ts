import { nearestInstant } from '../time/instant.ts';
import type { Comparison, Condition, Steps, Where } from './query.ts';
import { columnOf, comparedValue } from './stored-values.ts';
import type { TableDescription } from './table.ts';

export type FieldCondition = Exclude<Condition, { any: unknown }>;

export function isFieldCondition(condition: Condition): condition is FieldCondition {
  return !('any' in condition);
}

/**
 * Compares two values of one column. Text is compared by code point, as databases compare UTF-8 byte by byte; null comes
 * after everything else.
 */
export function compareValues(a: unknown, b: unknown): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  return (a as number) < (b as number) ? -1 : 1;
}

function compareTexts(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return orderOfUnit(left) - orderOfUnit(right);
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above U+FFFF, so they come after the other units. */
function orderOfUnit(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

const decide: Record<Exclude<Comparison, 'in'>, (order: number) => boolean> = {
  '=': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

type Predicate = (row: Readonly<Record<string, unknown>>) => boolean;

/** Compiles conditions into one function of a row. */
export function predicate(where: Where): Predicate {
  const tests = where.map((condition): Predicate => {
    if (isFieldCondition(condition)) return fieldPredicate(condition);
    const branches = condition.any.map(predicate);
    return (row) => branches.some((branch) => branch(row));
  });
  const [first, second] = tests;
  if (!first) return () => true;
  if (!second) return first;
  return (row) => tests.every((test) => test(row));
}

function fieldPredicate([field, is, value]: FieldCondition): Predicate {
  if (is === 'in') {
    const values = new Set(value as unknown[]);
    return (row) => row[field] !== null && values.has(row[field]);
  }
  if (is === '=') return (row) => row[field] === value;
  if (is === '!=') return (row) => row[field] !== value;
  if (value === null) return () => false;
  const holds = decide[is];
  return (row) => row[field] !== null && holds(compareValues(row[field], value));
}

/**
 * Checks conditions as `checkWhere` does, and adds the bounds that they imply.
 * @throws Error for a field the table does not have, or a value that its column cannot hold.
 */
export function normalizeWhere(table: TableDescription, where: Where = []): Where {
  return withImpliedBounds(checkWhere(table, where));
}

/**
 * Checks conditions against the columns of a table, and converts each value to what its column would store.
 * @throws Error for a field the table does not have, or a value that its column cannot hold.
 */
function checkWhere(table: TableDescription, where: Where): Where {
  return where.map((condition) =>
    isFieldCondition(condition)
      ? checkCondition(table, condition)
      : { any: condition.any.map((branch) => checkWhere(table, branch)) },
  );
}

function checkCondition(table: TableDescription, [field, is, value]: FieldCondition): FieldCondition {
  const column = columnOf(table, field);
  if (value === undefined) throw new Error(`A condition on ${table.table}.${field} has no value.`);
  const compared = (given: unknown) => comparedValue(table, column, given);
  if (is === 'in') return [field, is, (value as unknown[]).filter((each) => each !== null).map(compared)];
  return [field, is, compared(value)];
}

/**
 * Adds the bounds that an `any` implies: when each of its branches bounds the same column, so does the whole. An index
 * then serves keyset paging (`a < x, or a = x and id < y`) from where the page starts.
 */
function withImpliedBounds(where: Where): Where {
  if (where.every(isFieldCondition)) return where;
  return where.flatMap((condition): Where => {
    if (isFieldCondition(condition)) return [condition];
    const branches = condition.any.map(withImpliedBounds);
    const [only] = branches;
    return only && branches.length === 1 ? only : [{ any: branches }, ...impliedBounds(branches)];
  });
}

function impliedBounds(branches: readonly Where[]): Condition[] {
  const [first = []] = branches;
  const fields = new Set(first.filter(isFieldCondition).map(([field]) => field));
  return [...fields].flatMap((field) => [
    ...impliedBound(branches, field, ['=', '<', '<='], '<='),
    ...impliedBound(branches, field, ['=', '>', '>='], '>='),
  ]);
}

/** Returns the widest of the bounds that the branches set to a field; none where a branch does not bound it. */
function impliedBound(
  branches: readonly Where[],
  field: string,
  kinds: readonly Comparison[],
  bound: '<=' | '>=',
): Condition[] {
  const values = branches.map((branch) => boundIn(branch, field, kinds));
  if (values.includes(null)) return [];
  const widest = values.reduce((one, other) => {
    const order = compareValues(other, one);
    return (bound === '<=' ? order > 0 : order < 0) ? other : one;
  });
  return [[field, bound, widest]];
}

/** Returns the value of the first condition of one of those kinds on a field; null where there is none. */
function boundIn(branch: Where, field: string, kinds: readonly Comparison[]): unknown {
  const condition = branch
    .filter(isFieldCondition)
    .find(([name, is, value]) => name === field && kinds.includes(is) && value !== null);
  return condition ? condition[2] : null;
}

/** How many steps a histogram may have: each has a character in the texts by which databases answer. */
const maxSteps = 2000;

/**
 * Returns the conditions for the rows whose times lie in one of the steps.
 * @throws Error for steps that are none or too many, or of a column that has no instants.
 */
export function withinSteps(table: TableDescription, { of, from, length, count }: Steps): Where {
  if (columnOf(table, of).kind !== 'instant') throw new Error(`${table.table}.${of} has no instants.`);
  const isWhole = [length, count].every((each) => Number.isSafeInteger(each) && each >= 1);
  if (!isWhole || count > maxSteps)
    throw new Error(`A histogram has 1 to ${maxSteps} steps of a millisecond or more, not ${count} of ${length}.`);
  return [
    [of, '>=', from],
    [of, '<', nearestInstant(from + length * count)],
  ];
}

/** Whether conditions imply others, which bound one field: each is among them, or one that is stricter. */
export function impliesBounds(where: Where, bounds: Where): boolean {
  const conditions = where.filter(isFieldCondition);
  return bounds.filter(isFieldCondition).every(([field, is, value]) =>
    conditions.some((each) => {
      if (each[0] !== field || each[1] !== is || each[2] === null) return false;
      const order = compareValues(each[2], value);
      return is === '>=' ? order >= 0 : is === '<' && order <= 0;
    }),
  );
}

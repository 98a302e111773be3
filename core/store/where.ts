import type { Comparison, Condition, Where } from './query.ts';
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
 * Checks conditions against the columns of a table and adds the bounds that an `any` implies: when each of its branches
 * bounds the same column, so does the whole. An index then serves keyset paging (`a < x, or a = x and id < y`) from where
 * the page starts.
 * @throws Error for a field the table does not have, or a value that its column cannot hold.
 */
export function normalizeWhere(table: TableDescription, where: Where = []): Where {
  const conditions: Condition[] = [];
  for (const condition of where) {
    if (isFieldCondition(condition)) {
      conditions.push(normalizeCondition(table, condition));
      continue;
    }
    const branches = condition.any.map((branch) => normalizeWhere(table, branch));
    const [only] = branches;
    if (only && branches.length === 1) conditions.push(...only);
    else conditions.push({ any: branches }, ...impliedBounds(branches));
  }
  return conditions;
}

function normalizeCondition(table: TableDescription, [field, is, value]: FieldCondition): FieldCondition {
  const column = columnOf(table, field);
  if (value === undefined) throw new Error(`A condition on ${table.table}.${field} has no value.`);
  const compared = (given: unknown) => comparedValue(table, column, given);
  if (is === 'in') return [field, is, (value as unknown[]).filter((each) => each !== null).map(compared)];
  return [field, is, compared(value)];
}

function impliedBounds(branches: readonly Where[]): Condition[] {
  const [first] = branches;
  if (!first) return [];
  const fields = new Set(first.filter(isFieldCondition).map(([field]) => field));
  return [...fields].flatMap((field) => [
    ...impliedBound(branches, field, ['=', '<', '<='], '<='),
    ...impliedBound(branches, field, ['=', '>', '>='], '>='),
  ]);
}

function impliedBound(branches: readonly Where[], field: string, kinds: readonly Comparison[], bound: '<=' | '>=') {
  let widest: unknown = null;
  for (const branch of branches) {
    const condition = branch
      .filter(isFieldCondition)
      .find(([name, is, value]) => name === field && kinds.includes(is) && value !== null);
    if (!condition) return [];
    const order = widest === null ? 0 : compareValues(condition[2], widest);
    if (widest === null || (bound === '<=' ? order > 0 : order < 0)) widest = condition[2];
  }
  return [[field, bound, widest] as const];
}

import type { Query, Where } from '../../store/query.ts';

type Row = Record<string, unknown> & { id: number };

/** Evaluates a query naively in memory; every store must return the same rows. */
export function evaluate(rows: readonly Row[], query: Query): Row[] {
  const found = rows.filter((row) => matches(row, query.where ?? []));
  found.sort((a, b) => {
    for (const [field, direction] of query.order ?? []) {
      const [left, right] = [a[field], b[field]];
      if (left === right) continue;
      if (left === null) return 1;
      if (right === null) return -1;
      return direction === 'asc' ? compare(left, right) : compare(right, left);
    }
    return a.id - b.id;
  });
  const offset = query.offset ?? 0;
  return found
    .slice(offset, query.limit === undefined ? undefined : offset + query.limit)
    .map((row) => Object.fromEntries((query.columns ?? Object.keys(row)).map((name) => [name, row[name]])) as Row);
}

export function matches(row: Row, where: Where): boolean {
  return where.every((term) => {
    if ('any' in term) return term.any.some((branch) => matches(row, branch));
    const [field, is, wanted] = term;
    const value = row[field];
    switch (is) {
      case '=':
        return value === wanted;
      case '!=':
        return value !== wanted;
      case 'in':
        return value !== null && (wanted as unknown[]).includes(value);
      default: {
        if (value === null || wanted === null) return false;
        const order = compare(value, wanted);
        return is === '<' ? order < 0 : is === '<=' ? order <= 0 : is === '>' ? order > 0 : order >= 0;
      }
    }
  });
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'string') return compareBytes(encoder.encode(a), encoder.encode(b as string));
  return Number(a) - Number(b);
}

const encoder = new TextEncoder();

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at < 0 || at >= b.length ? a.length - b.length : (a[at] as number) - (b[at] as number);
}

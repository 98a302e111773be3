import type { FieldRow } from '@horarium/core';

/** A field as people read about it. */
export function describeField(column: FieldRow) {
  const { name, kind, values, references, description: note } = column;
  const marks = (['required', 'readOnly', 'immutable', 'unique', 'secret'] as const).filter((mark) => column[mark]);
  return {
    field: name,
    kind: references ? `${kind} ${references}` : kind,
    marks: marks.map((mark) => (mark === 'readOnly' ? 'read-only' : mark)).join(', '),
    default: column.default,
    values: values?.join(', ') ?? range(column),
    note: note ?? '',
  };
}

function range({ kind, min, max, pattern }: FieldRow): string {
  if (kind === 'text')
    return [max === undefined ? '' : `≤ ${max} characters`, pattern ?? ''].filter(Boolean).join(', ');
  const real = (limit: number | undefined) => limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER;
  return [real(min) ? `≥ ${min}` : '', real(max) ? `≤ ${max}` : ''].filter(Boolean).join(', ');
}

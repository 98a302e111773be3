import type { FieldDescription, Instant } from '@horarium/core';
import { type AnyRow, jsonText } from '@horarium/core/store';
import type { ValueCodec } from '../../dialect.ts';

export const postgresCodec: ValueCodec = {
  encode,
  encodeList: (column, values) => values.map((value) => encode(column, value)),
  /** Converts nothing, because the type parsers of the pool have done it. */
  decode: (_table, row) => row as AnyRow,
};

function encode({ kind }: FieldDescription, value: unknown): unknown {
  if (value === null) return null;
  if (kind === 'instant') return new Date(value as Instant).toISOString();
  return kind === 'json' || kind === 'texts' || kind === 'references' ? jsonText(value) : value;
}

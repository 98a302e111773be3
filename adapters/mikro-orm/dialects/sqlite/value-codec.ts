import { type FieldDescription, memoized, type TableDescription } from '@horarium/core';
import { type AnyRow, jsonText } from '@horarium/core/store';
import { plainBytes, type ValueCodec } from '../../dialect.ts';

/** Stores booleans and times as integers, structured data as JSON text, bytes as blobs. */
export const sqliteCodec: ValueCodec = {
  encode,
  encodeList: (column, values) => JSON.stringify(values.map((value) => encode(column, value))),
  decode(table, row) {
    for (const [name, decoder] of decodersOf(table)) {
      const value = row[name];
      if (value !== null && value !== undefined) row[name] = decoder(value);
    }
    return row as AnyRow;
  },
};

function encode({ kind }: FieldDescription, value: unknown): unknown {
  if (value === null) return null;
  if (kind === 'flag') return value ? 1 : 0;
  return kind === 'json' || kind === 'texts' || kind === 'references' ? jsonText(value) : value;
}

type Decoder = (value: unknown) => unknown;
const decoders: Partial<Record<FieldDescription['kind'], Decoder>> = {
  flag: (value) => value === 1,
  json: parseJson,
  texts: parseJson,
  references: parseJson,
  binary: (value) => plainBytes(value as Buffer),
};

/** Parses stored JSON; empty values, which most are, skip the parser. */
function parseJson(value: unknown): unknown {
  if (value === '[]') return [];
  return value === '{}' ? {} : JSON.parse(value as string);
}

/** Parses stored JSON; text that is none stays as it is. */
function parseJsonOrText(value: unknown): unknown {
  try {
    return parseJson(value);
  } catch {
    return value;
  }
}

const decodersOf = memoized(({ columns }: TableDescription) =>
  columns.flatMap(({ name, kind, lenient, verbatim }) => {
    const decoder = verbatim ? undefined : lenient ? parseJsonOrText : decoders[kind];
    return decoder ? [[name, decoder] as const] : [];
  }),
);

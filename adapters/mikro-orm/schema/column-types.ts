import type { FieldDescription } from '@horarium/core';
import type { Dialect } from '../dialect.ts';

/** The SQL type of a column, by the dialect and the kind of its field. */
export const columnTypes: Record<Dialect['kind'], Record<FieldDescription['kind'], string>> = {
  sqlite: {
    text: 'text',
    choice: 'text',
    integer: 'integer',
    reference: 'integer',
    number: 'real',
    flag: 'integer',
    instant: 'integer',
    references: 'text',
    texts: 'text',
    json: 'text',
    binary: 'blob',
  },
  postgresql: {
    text: 'text',
    choice: 'text',
    integer: 'bigint',
    reference: 'bigint',
    number: 'double precision',
    flag: 'boolean',
    instant: 'timestamptz(3)',
    // The type json keeps the order of keys; jsonb does not.
    references: 'json',
    texts: 'json',
    json: 'json',
    binary: 'bytea',
  },
};

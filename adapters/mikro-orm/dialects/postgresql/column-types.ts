import type { ColumnTypes } from '../../dialect.ts';

export const postgresColumnTypes: ColumnTypes = {
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
};

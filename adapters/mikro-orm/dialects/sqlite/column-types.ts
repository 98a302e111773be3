import type { ColumnTypes } from '../../dialect.ts';

export const sqliteColumnTypes: ColumnTypes = {
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
};

import { openSync, writeSync } from 'node:fs';
import { traceStatements } from './trace-statements.ts';

/**
 * Writes each SQL statement of a process as one line into a file. A service of any commit loads this before itself by
 * `NODE_OPTIONS=--import`; the programs that it starts get no such variable.
 */
const file = openSync(process.env['PAIRS_TRACE'] as string, 'a');
traceStatements(process.env['PAIRS_ROOT'] as string, ({ connection, sql }) => {
  writeSync(file, `${connection} ${sql}\n`);
});

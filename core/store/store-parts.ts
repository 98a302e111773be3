/** What an implementation of the store port uses beside the port itself. */

import '../node-version.ts';

export * from './store-conflicts.ts';
export * from './stored-values.ts';
export type { AnyRow } from './table.ts';
export * from './transaction-tables.ts';
export * from './where.ts';

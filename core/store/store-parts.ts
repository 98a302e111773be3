/** What whoever implements the store port needs beside the port itself. */

export * from './store-conflicts.ts';
export * from './stored-values.ts';
export * from './transaction-tables.ts';
export * from './where.ts';

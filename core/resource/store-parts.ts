/** What whoever implements the store port needs beside the port itself. */
export * from './guarded-tables.ts';
export * from './store-conflicts.ts';
export * from './stored-values.ts';
export * from './where.ts';

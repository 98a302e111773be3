import type { TableDescription } from '@horarium/core';
import type { TriggerDef } from '@mikro-orm/core';
import type { SchemaSyntax } from '../dialect.ts';

/** A change that a trigger of the database rejects. */
interface ForbiddenChange {
  readonly table: string;
  /** The name of the trigger. */
  readonly name: string;
  readonly event: 'update' | 'delete';
  /** The condition in SQL that every database understands; `old` is the row before the change. */
  readonly when: string;
  /** The error message, without quotes and without the word "end", at which MikroORM cuts SQLite's triggers. */
  readonly message: string;
}

/** The changes that the database itself rejects, whichever program makes them. */
const forbiddenChanges: readonly ForbiddenChange[] = (['update', 'delete'] as const).map((event) => ({
  table: 'horarium_audit_log',
  // MikroORM merges triggers whose names differ only in an event at their end.
  name: `horarium_audit_log_${event}_of_sealed`,
  event,
  when: 'old.seq is not null',
  message: `A sealed entry of the audit log refuses ${event}.`,
}));

/**
 * Returns the triggers of a table. Each tests its condition in the body, because PostgreSQL rewrites the condition of a
 * trigger, and the schema would seem to have drifted.
 */
export function triggersOf(table: TableDescription, syntax: SchemaSyntax): TriggerDef[] {
  return forbiddenChanges
    .filter((change) => change.table === table.table)
    .map(({ name, event, when, message }) => ({
      name,
      timing: 'before',
      events: [event],
      body: syntax.rejectWhen(when, message),
    }));
}

import type { TableDescription } from '@horarium/core';
import type { TriggerDef } from '@mikro-orm/core';
import type { SchemaSyntax } from '../dialect.ts';

/** A change that a trigger of the database rejects. */
interface ForbiddenChange {
  readonly table: string;
  /** The name of the trigger. */
  readonly name: string;
  readonly event: 'update' | 'delete';
  /** The condition in SQL that every database understands; `old` is the row before the change, `new` that after an update. */
  readonly when: string;
  /** The error message, without quotes and without the word "end", at which MikroORM cuts SQLite's triggers. */
  readonly message: string;
}

/** The number of the last entry that has left for the archive. */
const checkpoint = '(select max(seq) from horarium_audit_checkpoint)';

/** The changes that the database itself rejects, whichever program makes them. */
const forbiddenChanges: readonly ForbiddenChange[] = [
  {
    table: 'horarium_audit_log',
    // MikroORM merges triggers whose names differ only in an event at their end.
    name: 'horarium_audit_log_update_of_sealed',
    event: 'update',
    when: 'old.seq is not null',
    message: 'A sealed entry of the audit log refuses update.',
  },
  {
    table: 'horarium_audit_log',
    name: 'horarium_audit_log_delete_of_sealed',
    event: 'delete',
    when: `old.seq > coalesce(${checkpoint}, 0)`,
    message: 'A sealed entry of the audit log refuses delete.',
  },
  {
    table: 'horarium_audit_checkpoint',
    name: 'audit_checkpoint_moved_back',
    event: 'update',
    when: 'new.seq <= old.seq',
    message: 'The checkpoint of the audit log refuses to move back.',
  },
  {
    table: 'horarium_audit_checkpoint',
    name: 'audit_checkpoint_removed',
    event: 'delete',
    when: 'old.seq is not null',
    message: 'The checkpoint of the audit log refuses delete.',
  },
];

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

import type { TableDescription } from '@horarium/core';
import type { TriggerDef } from '@mikro-orm/core';
import type { Dialect } from './sql-dialect.ts';

interface RefusingTrigger {
  readonly table: string;
  readonly name: string;
  readonly event: 'update' | 'delete';
  /** The condition in SQL that both databases understand; `old` is the row before the change. */
  readonly when: string;
  /** The error message, without quotes and without the word "end", at which MikroORM cuts SQLite's triggers. */
  readonly message: string;
}

/** Triggers that make the database itself refuse statements, whichever program runs them. */
const refusingTriggers: readonly RefusingTrigger[] = (['update', 'delete'] as const).map((event) => ({
  table: 'audit_log',
  // MikroORM merges triggers whose names differ only in an event at their end.
  name: `audit_log_${event}_of_sealed`,
  event,
  when: 'old.seq is not null',
  message: `A sealed entry of the audit log refuses ${event}.`,
}));

/**
 * Returns the triggers of a table. Each tests its condition in the body, because PostgreSQL rewrites the condition of a
 * trigger, and the schema would seem to have drifted.
 */
export function triggersOf(table: TableDescription, dialect: Dialect['kind']): TriggerDef[] {
  return refusingTriggers
    .filter((refusal) => refusal.table === table.table)
    .map(({ name, event, when, message }) => ({
      name,
      timing: 'before',
      events: [event],
      body:
        dialect === 'sqlite'
          ? `select raise(abort, '${message}') where ${when}`
          : `if ${when} then raise exception '${message}' using errcode = 'restrict_violation'; end if; return coalesce(new, old)`,
    }));
}

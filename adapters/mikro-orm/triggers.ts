import type { TableDescription } from '@horarium/core';
import type { TriggerDef } from '@mikro-orm/core';
import type { Dialect } from './sql-dialect.ts';

interface Refusal {
  readonly table: string;
  readonly name: string;
  readonly event: 'update' | 'delete';
  /** In SQL that both databases understand; `old` is the row as it was. */
  readonly when: string;
  /** What the database answers: without quotes, and without the word "end", at which SQLite's triggers are cut. */
  readonly sentence: string;
}

/** What the database itself refuses, whoever asks. */
const refusals: readonly Refusal[] = (['update', 'delete'] as const).map((event) => ({
  table: 'audit_log',
  // MikroORM takes names that differ only in an event at their end for one trigger.
  name: `audit_log_${event}_of_sealed`,
  event,
  when: 'old.seq is not null',
  sentence: `A sealed entry of the audit log refuses ${event}.`,
}));

/**
 * The triggers of a table. The condition is part of the body: written as a condition of the trigger, PostgreSQL
 * gives it back in words of its own, and the schema would seem to have drifted.
 */
export function triggersOf(table: TableDescription, dialect: Dialect['kind']): TriggerDef[] {
  return refusals
    .filter((refusal) => refusal.table === table.table)
    .map(({ name, event, when, sentence }) => ({
      name,
      timing: 'before',
      events: [event],
      body:
        dialect === 'sqlite'
          ? `select raise(abort, '${sentence}') where ${when}`
          : `if ${when} then raise exception '${sentence}' using errcode = 'restrict_violation'; end if; return coalesce(new, old)`,
    }));
}

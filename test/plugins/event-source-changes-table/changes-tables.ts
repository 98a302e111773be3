import type { EventSourceKind } from '@horarium/core';
import { StandingClock } from '@horarium/core/contracts';
import plugin from '../../../plugins/event-source-changes-table/plugin.ts';

const columns =
  'recordid text, evidence text, operation text, externalids text, created text, source text, target text';

/** The statement that creates a table of changes. */
export const createTable = `create table changes_cache (inversion integer primary key, ${columns})`;

/** The options of an event source that have defaults. */
export const defaultOptions = {
  host: 'localhost',
  port: null,
  username: null,
  password: null,
  sslmode: 'disable',
  sslrootcert: null,
  table: 'changes_cache',
};

/** The kind of the plugin, which opens SQLite files in those folders. */
export function kindWith(sqlite_folders: string[]): EventSourceKind {
  const [kind] =
    plugin.eventSourceKinds?.({ options: { sqlite_folders }, clock: new StandingClock(), log: () => {} }) ?? [];
  return kind as EventSourceKind;
}

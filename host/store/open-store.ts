import { existsSync } from 'node:fs';
import { allTables, type Clock, HorariumError } from '@horarium/core';
import { type OpenedStore, openStore as openAny } from '../../adapters/mikro-orm/open-store.ts';
import type { Config } from '../config/settings.ts';
import { withoutPassword } from '../config/without-password.ts';

/**
 * Opens the store that the settings name, and makes its file where there is none.
 * @throws HorariumError `unavailable` when it cannot be opened.
 */
export function openStore(
  { database_url, sqlite_synchronous: synchronous }: Config,
  clock: Clock,
): Promise<OpenedStore> {
  return openAny({ url: database_url.url, tables: allTables, clock, synchronous });
}

/**
 * Opens a store that is ready for use, and makes nothing where there is none.
 * @throws HorariumError `unavailable` with the command that makes it ready.
 */
export async function openReadyStore(config: Config, clock: Clock): Promise<OpenedStore> {
  const { database_url: database } = config;
  if (database.kind === 'sqlite' && !existsSync(database.file)) throw unready(`There is no file ${database.file}`);
  const opened = await openStore(config, clock);
  try {
    const pending = await opened.schema.pending();
    if (pending.length === 0) return opened;
    throw unready(`The database ${withoutPassword(database.url)} needs ${pending.length} more migrations`);
  } catch (error) {
    await opened.store.close();
    throw error;
  }
}

function unready(what: string): HorariumError {
  return new HorariumError('unavailable', `${what}; "horarium serve" or "horarium migrate" makes it ready.`);
}

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Clock, HorariumError, tablesOf } from '@horarium/core';
import { type OpenedStore, openStore as openAny } from '../../adapters/mikro-orm/open-store.ts';
import { withoutPassword } from '../config/database-url.ts';
import type { Config } from '../config/settings.ts';
import type { RecordModel } from '../model.ts';

export interface OpenOptions {
  readonly clock: Clock;
  /** The folder where the relative path of a SQLite file starts. */
  readonly folder: string;
  readonly model: RecordModel;
}

/**
 * Opens the store that the settings name, and creates its file where there is none.
 * @throws HorariumError `unavailable` when it cannot be opened.
 */
export function openStore(config: Config, { clock, folder, model }: OpenOptions): Promise<OpenedStore> {
  const { database_url: database, sqlite_synchronous: synchronous } = config;
  const url = database.kind === 'sqlite' ? `sqlite:${resolve(folder, database.file)}` : database.url;
  const { resources, furtherMigrations } = model;
  return openAny({
    url,
    tables: tablesOf(resources),
    clock,
    synchronous,
    ...(furtherMigrations && { furtherMigrations }),
  });
}

/**
 * Opens a store that is ready for use, and creates nothing where there is none.
 * @throws HorariumError `unavailable` with the command that makes it ready.
 */
export async function openReadyStore(config: Config, options: OpenOptions): Promise<OpenedStore> {
  const { database_url: database } = config;
  if (database.kind === 'sqlite' && !existsSync(resolve(options.folder, database.file)))
    throw unready(`There is no file ${database.file}`);
  const opened = await openStore(config, options);
  try {
    const pending = (await opened.schema?.pending())?.length ?? 0;
    if (pending === 0) return opened;
    throw unready(`The database ${withoutPassword(database.url)} needs ${pending} more migrations`);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

function unready(reason: string): HorariumError {
  return new HorariumError('unavailable', `${reason}; "horarium serve" or "horarium migrate" makes it ready.`);
}

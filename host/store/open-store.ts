import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Clock, HorariumError, tablesOf } from '@horarium/core';
import type { OpenedStore } from '../../adapters/mikro-orm/database.ts';
import { openStore as openAny } from '../../adapters/mikro-orm/open-store.ts';
import type { Config } from '../config/settings.ts';
import type { RecordModel } from '../model.ts';
import { addedPlugins } from './added-plugins.ts';

interface OpenOptions {
  readonly clock: Clock;
  /** The folder where the relative path of a database file starts. */
  readonly folder: string;
  readonly model: RecordModel;
  /** Whether the file of a database may be created. */
  readonly mayCreate: boolean;
}

const makesReady = '"horarium serve" or "horarium migrate" makes it ready.';

/** A store that its operator has to make ready first. Its message names what is missing, and the remedy. */
export class UnreadyStore extends HorariumError {
  /** What is missing, without a full stop. */
  readonly lack: string;
  /** What to do, as a sentence. */
  readonly remedy: string;

  constructor(lack: string, remedy = makesReady) {
    super('unavailable', `${lack}${remedy === makesReady ? ';' : '.'} ${remedy}`);
    this.lack = lack;
    this.remedy = remedy;
  }
}

/** A store that an older version has made, or that was made without a plugin that is loaded. */
export class OutdatedStore extends UnreadyStore {
  constructor(pending: readonly string[]) {
    const migrations = pending.length === 1 ? 'a migration' : `${pending.length} migrations`;
    const plugins = addedPlugins(pending);
    if (plugins.length > 0)
      super(
        `The database lacks tables of the ${plugins.length === 1 ? 'plugin' : 'plugins'} ${plugins.join(', ')}, and needs ${migrations}`,
        `Start the service once with that setting of plugins, or run "horarium migrate" with it.`,
      );
    else
      super(
        `The database is of an older version and needs ${migrations}`,
        `Back it up with that version first (horarium help upgrade); then ${makesReady}`,
      );
  }
}

/**
 * Opens the store that the settings name.
 * @throws UnreadyStore when its file is missing and may not be created.
 * @throws HorariumError `unavailable` when it cannot be opened.
 */
export async function openStore(
  config: Config,
  { clock, folder, model, mayCreate }: OpenOptions,
): Promise<OpenedStore> {
  const { database_url, sqlite_synchronous: synchronous } = config;
  const { url, file } = database_url;
  // The whole path shows where it is looked for: in another folder, the remedy makes another store.
  const path = file === undefined ? undefined : resolve(folder, file);
  if (path !== undefined && !mayCreate && !existsSync(path)) throw new UnreadyStore(`There is no file ${path}`);
  const { resources, furtherMigrations } = model;
  return openAny({
    url,
    folder,
    tables: tablesOf(resources),
    clock,
    synchronous,
    ...(furtherMigrations && { furtherMigrations }),
  });
}

/**
 * Checks that the tables of a store are up to date; otherwise closes it.
 * @throws UnreadyStore with the command that makes it ready.
 */
export async function assertReady(store: OpenedStore): Promise<void> {
  try {
    const pending = (await store.schema?.pending()) ?? [];
    if (pending.length > 0 && (await store.schema?.isNew?.())) throw new UnreadyStore('The database has no tables yet');
    if (pending.length > 0) throw new OutdatedStore(pending);
  } catch (error) {
    await store.close();
    throw error;
  }
}

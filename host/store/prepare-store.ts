import { createFirstUser, type FirstUser } from '@horarium/core';
import type { OpenedStore } from '../../adapters/mikro-orm/database.ts';
import type { Host } from '../host.ts';
import { serviceIds } from '../service-ids.ts';
import { addedPlugins } from './added-plugins.ts';

export interface PreparedStore {
  /** The names of the migrations that this process ran. */
  readonly migrations: readonly string[];
  /** The user that this process created; null where users existed already. */
  readonly firstUser: FirstUser | null;
}

/** Takes messages about migrations. */
export interface MigrationListeners {
  /**
   * Runs before pending migrations, which may take a while.
   * @param advice what to know before they change a store that has tables already; null = it is new.
   */
  migrating?(pending: number, advice: string | null): void;
  /** Called with a few words on what runs on a store that has tables already. */
  progress(progress: string): void;
}

/**
 * Prepares the store for use: migrates its tables, registers the key of the vault and creates the first user. Processes
 * may call it concurrently: each migration runs once, and one user is created.
 * @throws HorariumError `unavailable` when the key of the vault is missing or a wrong one, before anything is migrated.
 */
export async function prepareStore(host: Host, listeners?: MigrationListeners): Promise<PreparedStore> {
  const { schema } = await host.get(serviceIds.store);
  const pending = (await schema?.pending()) ?? [];
  if (schema && pending.length > 0) {
    await checkKeysBeforeMigration(host);
    listeners?.migrating?.(pending.length, await migrationAdvice(schema, pending));
  }
  const migrations = (await schema?.migrate(listeners?.progress)) ?? [];
  const core = await host.get(serviceIds.core);
  await core.forChannels.checkKeys();
  const firstUser = await createFirstUser({
    store: core.store,
    passwordHasher: await host.get(serviceIds.passwordHasher),
    digests: await host.get(serviceIds.digests),
    password: (await host.get(serviceIds.config)).admin_password,
  });
  return { migrations, firstUser };
}

/**
 * Checks that a store which has tables already is migrated only where its vault key is at hand: nothing leads back from the
 * migrations, and without the key the service could not start on them.
 * @throws HorariumError `unavailable` when the key is missing or a wrong one.
 */
export async function checkKeysBeforeMigration(host: Host): Promise<void> {
  const { schema } = await host.get(serviceIds.store);
  if ((await schema?.isNew?.()) !== false) return;
  await (await host.get(serviceIds.core)).forChannels.checkKeys({ unmigrated: true });
}

/** What to know before migrations change a store that has tables already; null = it is new. */
export async function migrationAdvice(
  schema: NonNullable<OpenedStore['schema']>,
  pending: readonly string[],
): Promise<string | null> {
  if (await schema.isNew?.()) return null;
  const [migrations, none] =
    pending.length === 1 ? ['one migration', 'it cannot'] : [`${pending.length} migrations`, 'they cannot'];
  const plugins = addedPlugins(pending);
  const state = plugins.length > 0 ? `lacks tables of plugins (${plugins.join(', ')})` : 'is of an older version';
  return `The store ${state}: ${migrations} must be run, and ${none} be undone. Only a backup from before leads back (horarium help upgrade).`;
}

/** The message that shows the operator the login and, when it was generated, the password of the first user. */
export function firstUserMessage({ login, password }: FirstUser): string {
  if (password === null) return `The first user is ${login}, with the password from HORARIUM_ADMIN_PASSWORD`;
  return `The first user is ${login}, with the password ${password}  (shown this once)`;
}

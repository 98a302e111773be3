import { createFirstUser, type FirstUser } from '@horarium/core';
import type { Host } from '../host.ts';
import { serviceIds } from '../service-ids.ts';

export interface PreparedStore {
  /** The migrations that this process ran. */
  readonly migrations: readonly string[];
  /** The user that was created because there was none; null where there were some. */
  readonly firstUser: FirstUser | null;
}

/**
 * Makes the store ready for use: its tables, the fingerprint of the vault's key, the first user. Of several processes
 * that do so at once, one does each part.
 * @param onMigrating runs before the tables are made or brought up to date, which may take a while.
 */
export async function prepareStore(host: Host, onMigrating?: (pending: number) => void): Promise<PreparedStore> {
  const { schema } = await host.get(serviceIds.opened);
  const { length: pending } = await schema.pending();
  if (pending > 0) onMigrating?.(pending);
  const migrations = await schema.migrate();
  const core = await host.get(serviceIds.core);
  await core.vault.check();
  const firstUser = await createFirstUser({
    store: core.store,
    passwords: await host.get(serviceIds.passwords),
    digests: await host.get(serviceIds.digests),
    password: (await host.get(serviceIds.config)).admin_password,
  });
  return { migrations, firstUser };
}

/** Introduces the first user to the operator, once. */
export function introduce({ login, password }: FirstUser): string {
  if (password === null) return `The first user is ${login}, with the password from HORARIUM_ADMIN_PASSWORD`;
  return `The first user is ${login}, with the password ${password}  (shown this once)`;
}

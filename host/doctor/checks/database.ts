import { MigratedByNewerVersion } from '../../../adapters/mikro-orm/schema/schema.ts';
import { withoutPassword } from '../../config/database-url.ts';
import { serviceIds } from '../../service-ids.ts';
import { UnreadyStore } from '../../store/open-store.ts';
import { type Finding, fail, ok, warn } from '../finding.ts';
import type { Installation } from '../installation.ts';

/** Opens the store, whose tables must be those of this version. */
export async function checkDatabase(installation: Installation): Promise<Finding[]> {
  const { config } = await installation.settings();
  const { database, url } = config.database_url;
  const host = await installation.host();
  try {
    const { kind } = await host.get(serviceIds.store);
    if (kind === 'memory')
      return [
        warn(
          'memory: keeps everything in the service itself, and forgets it when the service stops',
          'Name a database in HORARIUM_DATABASE_URL: horarium help settings',
        ),
      ];
    return [ok(`${database.title} answers, and its tables are up to date: ${withoutPassword(url)}`)];
  } catch (error) {
    if (error instanceof UnreadyStore) return [fail(error.lack, await remedyOf(error, installation))];
    if (error instanceof MigratedByNewerVersion)
      return [fail(error.message, 'Install the version that has it, or restore a backup: horarium help upgrade')];
    throw error;
  }
}

/** What makes a store ready: where systemd starts the service, nothing that root runs, because the store would become root's. */
async function remedyOf({ remedy }: UnreadyStore, installation: Installation): Promise<string> {
  return (await installation.unitUser()) === null ? remedy : 'systemctl restart horarium makes it ready.';
}

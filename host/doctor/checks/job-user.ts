import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { checkJobsAsRoot } from '../../jobs-as-root.ts';
import { type Finding, ok, warn } from '../finding.ts';
import type { Installation } from '../installation.ts';

/** Checks as whom jobs run, where root asks and starts the service too: the file of its store would be another user's otherwise. */
export async function checkJobUser(installation: Installation): Promise<Finding[]> {
  const { config } = await installation.settings();
  const { file } = config.database_url;
  const owner = file === undefined ? null : await stat(resolve(installation.io.folder, file)).catch(() => null);
  if (owner !== null && owner.uid !== process.getuid?.())
    return [ok(`the service runs as the user ${owner.uid}, as its store's owner`)];
  const warning = checkJobsAsRoot(config);
  if (warning !== null) return [warn(warning, 'Choose a user for native jobs: horarium help job-users')];
  return [ok('native jobs do not run as root by accident')];
}

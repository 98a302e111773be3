import { checkJobsAsRoot } from '../../jobs-as-root.ts';
import { type Finding, ok, warn } from '../finding.ts';
import type { Installation } from '../installation.ts';

/** Checks as whom jobs run, where a service is started by systemd or by the user who asks. */
export async function checkJobUser(installation: Installation): Promise<Finding[]> {
  const { config } = await installation.settings();
  const user = await installation.unitUser();
  if (user !== null && user !== 'root') return [ok(`systemd starts the service as ${user}, and it starts native jobs`)];
  const warning = checkJobsAsRoot(config);
  if (warning !== null) return [warn(warning, 'Choose a user for native jobs: horarium help job-users')];
  return [ok('native jobs do not run as root by accident')];
}

import { HorariumError } from '@horarium/core';
import type { Config } from './config/settings.ts';

const whoMayChoose = 'HORARIUM_RUN_AS names the user that they run as; HORARIUM_RUN_AS=root says that root is meant';

/**
 * Checks as whom a service runs native jobs that was started as root. Nobody means root by accident where others can reach
 * the service, so there it has to be said.
 * @param uid of the service; undefined where the system has none. @default that of this process
 * @returns a warning where jobs run as root and only this machine reaches the service; null where all is well.
 * @throws HorariumError `invalid` where jobs would run as root, others reach the service, and no setting says so.
 */
export function checkJobsAsRoot(config: Config, uid = process.getuid?.()): string | null {
  if (uid !== 0 || userOfJobs(config) !== null) return null;
  const opening = openingOf(config);
  if (opening === null)
    return `native jobs run as root, because the service does: ${whoMayChoose} (horarium help job-users)`;
  throw asRoot(opening);
}

/**
 * Checks as whom an agent runs native jobs that was started as root: they come from other machines.
 * @param uid of the agent. @default that of this process
 * @throws HorariumError `invalid` where jobs would run as root, and no setting says so.
 */
export function checkAgentJobsAsRoot(config: Config, uid = process.getuid?.()): void {
  if (uid === 0 && userOfJobs(config) === null) throw asRoot('the agent takes jobs from other machines');
}

function asRoot(circumstance: string): HorariumError {
  return new HorariumError(
    'invalid',
    `Native jobs would run as root while ${circumstance}: ${whoMayChoose} (horarium help job-users).`,
  );
}

/** Returns the user that the settings choose for native jobs; null where they choose none. */
export function userOfJobs({ run_as, plugin_options }: Config): unknown {
  const own = plugin_options['executor-native'] as Readonly<Record<string, unknown>> | undefined;
  return own?.['run_as'] ?? run_as;
}

/** Says by what others than this machine reach the service; null where nothing lets them. */
function openingOf({ host, public_url, trust_proxy }: Config): string | null {
  if (!/^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)) return `the service listens on ${host}`;
  if (public_url !== null) return `the service has the public URL ${public_url}`;
  return trust_proxy === null ? null : 'the service trusts a proxy';
}

import { checkCertificate } from './checks/certificate.ts';
import { checkClock } from './checks/clock.ts';
import { checkDatabase } from './checks/database.ts';
import { checkDisk } from './checks/disk.ts';
import { checkEventSources } from './checks/event-sources.ts';
import { checkJobUser } from './checks/job-user.ts';
import { checkNode } from './checks/node.ts';
import { checkPlugins } from './checks/plugins.ts';
import { checkSettings } from './checks/settings.ts';
import { checkTemplates } from './checks/templates.ts';
import { checkVaultKey, checkVaultKeyBeforeMigration } from './checks/vault-key.ts';
import { checkWorkers } from './checks/workers.ts';
import type { Finding } from './finding.ts';
import type { Installation } from './installation.ts';

interface Check {
  readonly name: string;
  /** The check that must have gone well before this one can run. @default none */
  readonly after?: string;
  /** What to do where the check throws: its message says what is wrong. */
  readonly advice: string;
  /** @throws HorariumError where something is so wrong that there is nothing to look at. */
  run(installation: Installation): Promise<readonly Finding[]>;
  /** What can be checked all the same where the check before has failed; null = nothing. @throws as `run`. */
  runEarly?(installation: Installation): Promise<readonly Finding[] | null>;
}

/** Every check, in the order in which they run. */
export const checks: readonly Check[] = [
  { name: 'node', advice: 'horarium help production', run: checkNode },
  { name: 'settings', advice: 'Correct what is named: horarium help settings', run: checkSettings },
  { name: 'job user', after: 'settings', advice: 'horarium help job-users', run: checkJobUser },
  { name: 'certificate', after: 'settings', advice: 'horarium help https', run: checkCertificate },
  {
    name: 'disk',
    after: 'settings',
    advice: 'Run this command as root or as the user of the service.',
    run: checkDisk,
  },
  { name: 'plugins', after: 'settings', advice: 'horarium help plugin-options', run: checkPlugins },
  {
    name: 'database',
    after: 'plugins',
    advice: 'Start the database, and let HORARIUM_DATABASE_URL name it: horarium help postgresql',
    run: checkDatabase,
  },
  {
    name: 'vault key',
    after: 'database',
    advice: 'horarium help vault-key',
    run: checkVaultKey,
    runEarly: checkVaultKeyBeforeMigration,
  },
  { name: 'clock', after: 'vault key', advice: 'horarium help clocks', run: checkClock },
  { name: 'workers', after: 'vault key', advice: 'horarium help monitoring', run: checkWorkers },
  { name: 'templates', after: 'vault key', advice: 'horarium help on-time', run: checkTemplates },
  { name: 'event sources', after: 'vault key', advice: 'horarium help tables', run: checkEventSources },
];

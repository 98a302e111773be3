import { readFile } from 'node:fs/promises';
import { systemConfigFile } from '../../config/config-file.ts';
import type { ReadConfig } from '../../config/read-config.ts';

/** What a unit depends on. */
export interface UnitOptions {
  /** The program and its arguments: paths that are startable. */
  readonly program: readonly string[];
  /** The user that the service runs as. */
  readonly user: string;
  readonly group: string;
  readonly configFile: string;
  /** The version of systemd; null where it is not known. */
  readonly systemd: number | null;
}

/** The folder below /var/lib with the store, and where relative paths of settings start. */
const stateDirectory = 'horarium';
export const stateFolder = `/var/lib/${stateDirectory}`;

export const unitPath = '/etc/systemd/system/horarium.service';

/** How a unit of this program begins; any other file is not replaced. */
export const unitBeginning = '# Written by horarium service:install';

/**
 * What root keeps so that it can start and stop jobs of other users in their folders, and end what they leave behind.
 * A job of root has no more.
 */
const capabilities = [
  'CAP_CHOWN',
  'CAP_DAC_OVERRIDE',
  'CAP_FOWNER',
  'CAP_KILL',
  'CAP_SETGID',
  'CAP_SETUID',
  'CAP_SYS_PTRACE',
];

/** Since this version a service can end the time in which systemd believes messages from any of its processes. */
const endsNotifyAccess = 254;

/**
 * Writes the unit of the service for systemd. Jobs of the service need what it denies itself as little as possible: they
 * keep their files, the network, devices and cgroups.
 */
export function unitFile(options: UnitOptions): string {
  const { user, program, configFile } = options;
  const lines = [
    `${unitBeginning}. Changes belong into: systemctl edit horarium`,
    '[Unit]',
    'Description=Horarium, a job-scheduling service',
    'Documentation=man:horarium(1)',
    'Wants=network-online.target',
    'After=network-online.target time-sync.target',
    '# It is started again as often as it ends.',
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    ...startLines(options),
    `ExecStart=${program.map(quoteWord).join(' ')} serve`,
    `Environment=HORARIUM_CONFIG=${configFile}`,
    `StateDirectory=${stateDirectory}`,
    'StateDirectoryMode=0700',
    `WorkingDirectory=${stateFolder}`,
    'Restart=always',
    'RestartSec=2',
    '# SIGTERM goes to the service alone, which lets its jobs finish: longer than its shutdown_grace.',
    'KillMode=mixed',
    'TimeoutStopSec=60',
    '# It contains and limits jobs in cgroups of its own.',
    'Delegate=yes',
    '',
    ...(user === 'root' ? rootLines : userLines(options)),
    'LockPersonality=yes',
    'ProtectHostname=yes',
    'RestrictRealtime=yes',
    '',
    '[Install]',
    'WantedBy=multi-user.target',
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * Any process of the service may send what `systemd-notify` sends, until the service is ready and ends that. An older systemd
 * goes on believing them, so that a job of another user could end the service of root there: it is not asked to.
 */
function startLines({ user, systemd }: UnitOptions): string[] {
  if (user === 'root' && (systemd === null || systemd < endsNotifyAccess)) return ['Type=exec'];
  return ['Type=notify', 'NotifyAccess=all', '# Migrations of a large store take minutes.', 'TimeoutStartSec=infinity'];
}

const rootLines = [
  '# Root starts jobs as other users, and can do nothing else. If jobs of root need more: systemctl edit horarium',
  `CapabilityBoundingSet=${capabilities.join(' ')}`,
];

function userLines({ user, group }: UnitOptions): string[] {
  return [
    `User=${user}`,
    `Group=${group}`,
    'CapabilityBoundingSet=',
    '# sudo and other setuid programs do not work in jobs.',
    'NoNewPrivileges=yes',
    'ProtectSystem=full',
    'RestrictSUIDSGID=yes',
  ];
}

/** Whether systemd starts a program of this path: it has no escape for what is special to it in an executable. */
export function isStartable(path: string): boolean {
  return /^\/[\w@+=:,./ -]+$/.test(path);
}

function quoteWord(word: string): string {
  return word.includes(' ') ? `"${word}"` : word;
}

/** The user of the unit that `service:install` wrote; null where there is none. */
export async function installedUser(): Promise<string | null> {
  const unit = await readFile(unitPath, 'utf8').catch(() => '');
  if (!unit.startsWith(unitBeginning)) return null;
  return /^User=(.+)$/m.exec(unit)?.[1] ?? 'root';
}

/** The user whom systemd starts the service as, if it has the settings of a command; null where it does not. */
export async function unitUser({ effective }: ReadConfig): Promise<string | null> {
  return effective.some(({ source }) => source === systemConfigFile) ? installedUser() : null;
}

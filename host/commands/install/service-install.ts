import { chmod, chown, mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { conflict, HorariumError } from '@horarium/core';
import { createKeyFile, readKeyFile } from '@horarium/core/node';
import type { Command } from 'commander';
import type { Io } from '../../cli/io.ts';
import { writeReplaceableFile } from '../../cli/replaceable-file.ts';
import { readConfigFile, systemConfigFile } from '../../config/config-file.ts';
import { runSystemTool } from '../../system-tool.ts';
import { createSystemUser, findSystemUser, runAs, type SystemUser } from './system-user.ts';
import { isStartable, stateFolder, unitBeginning, unitFile } from './unit-file.ts';

const unitPath = '/etc/systemd/system/horarium.service';
const keyPath = '/etc/horarium/vault_key';
/** The user of a service that runs jobs of one user, and that of jobs of a service of root. */
const defaultUsers = { service: 'horarium', jobs: 'horarium-jobs' };

interface Options {
  readonly user?: string;
  readonly start: boolean;
  readonly dryRun: boolean;
}

/** What an installation is made of, before anything is written. */
interface Plan {
  /** Who runs the service. */
  readonly user: string;
  /** Who runs the jobs of a service of root; null where they run as the service does. */
  readonly jobUser: string | null;
  /** The program and the arguments that start any command. */
  readonly program: readonly string[];
  /** The text of a new settings file; null where one exists, which is kept. */
  readonly settings: string | null;
  readonly vaultKeyFile: string | null;
  readonly systemd: number | null;
}

/** Adds `service:install`, which makes this machine start the service by systemd. */
export function addServiceInstall(program: Command, io: Io): void {
  program
    .command('service:install')
    .description(
      'Let systemd run the service on this machine: writes its unit, its settings and its key, and starts it.',
    )
    .option(
      '--user <name>',
      `the user that the service and its jobs run as; root starts jobs as other users, as crontabs of several users need it (default: that of an earlier installation, else ${defaultUsers.service})`,
    )
    .option('--no-start', 'do not start the service, nor enable it at boot')
    .option('--dry-run', 'change nothing, and print the files that would be written', false)
    .addHelpText(
      'after',
      '\nRun again after an upgrade, it keeps the settings, the key and the store (horarium help production).',
    )
    .action(async (options: Options) => {
      if (!options.dryRun && process.getuid?.() !== 0)
        throw new HorariumError('denied', 'Only root can install the service: sudo horarium service:install');
      const plan = await planFor(options);
      if (options.dryRun) await printPlan(plan, io);
      else await install(plan, options, io);
    });
}

async function planFor(options: Options): Promise<Plan> {
  const user = options.user ?? (await installedUser()) ?? defaultUsers.service;
  if (!/^[a-z_][a-z0-9_-]{0,31}$/i.test(user))
    throw new HorariumError('bad_request', `--user must be the name of a user of this machine, not ${user}.`);
  const program = [process.execPath, await realpath(process.argv[1] ?? '')];
  const strange = program.find((path) => !isStartable(path));
  if (strange !== undefined)
    throw conflict(`systemd cannot start ${strange}: move it to a path of letters, digits, spaces and @+=:,./-_.`);
  const isRoot = user === 'root';
  const jobUser = isRoot ? defaultUsers.jobs : null;
  const exists = await isThere(systemConfigFile);
  return {
    user,
    jobUser,
    program,
    settings: exists ? null : newSettings(jobUser),
    vaultKeyFile: exists ? await readKept(systemConfigFile, user) : keyPath,
    systemd: await systemdVersion(),
  };
}

/** The user of the unit that an earlier installation wrote; null where there is none. */
async function installedUser(): Promise<string | null> {
  const unit = await readFile(unitPath, 'utf8').catch(() => '');
  if (!unit.startsWith(unitBeginning)) return null;
  return /^User=(.+)$/m.exec(unit)?.[1] ?? 'root';
}

const allowedUsers = [
  '# Users that jobs may run as, besides that of run_as, such as those of crontabs: [jana, www-data]',
  'plugin_options:',
  '  executor-native:',
  '    users: []',
];

/** The settings of a new installation, which say where everything is, so that commands find it from any folder. */
function newSettings(jobUser: string | null): string {
  const settings = {
    host: '127.0.0.1',
    port: '8080',
    database_url: `sqlite:${stateFolder}/var/horarium.sqlite`,
    audit_archive: `${stateFolder}/var/audit`,
    vault_key_file: keyPath,
    ...(jobUser !== null && { run_as: jobUser }),
  };
  const lines = [
    ...Object.entries(settings).map(([name, value]) => `${name}: ${value}`),
    ...(jobUser === null ? [] : allowedUsers),
  ];
  return `# The settings of Horarium on this machine. horarium config lists all, horarium help settings explains them.\n${lines.join('\n')}\n`;
}

/**
 * Checks that a settings file suits a service of this user, because jobs must not run as root by accident.
 * @returns the file with the vault key that it names, which systemd then hands to the service; null for none.
 * @throws HorariumError `conflict` if it does not.
 */
async function readKept(path: string, user: string): Promise<string | null> {
  const { run_as: jobUser, vault_key_file: keyFile } = (await readConfigFile(path, '/')).values;
  if (user === 'root' && jobUser === undefined)
    throw conflict(
      `${path} has no run_as, so that jobs would run as root. Add "run_as: ${defaultUsers.jobs}", or another user.`,
    );
  if (user !== 'root' && jobUser !== undefined)
    throw conflict(
      `Only root can run jobs as ${jobUser}, as run_as in ${path} says: use --user root, or remove run_as.`,
    );
  return keyFile?.startsWith('/') ? keyFile : null;
}

/** The version of systemd on this machine; null where there is none. */
async function systemdVersion(): Promise<number | null> {
  const said = await runSystemTool('systemctl', ['--version']).catch(() => '');
  const [, version] = /^systemd (\d+)/.exec(said) ?? [];
  return version === undefined ? null : Number(version);
}

async function printPlan(plan: Plan, io: Io): Promise<void> {
  const { settings } = plan;
  const group = (await findSystemUser(plan.user))?.group ?? plan.user;
  const files = [
    ...(settings === null ? [] : [[systemConfigFile, settings] as const]),
    [unitPath, unitOf(plan, group)] as const,
  ];
  await io.out(files.map(([path, text]) => `# ${path}\n${text}`).join('\n'));
}

function unitOf({ program, user, vaultKeyFile, systemd }: Plan, group: string): string {
  return unitFile({ program, user, group, vaultKeyFile, systemd, configFile: systemConfigFile });
}

async function install(plan: Plan, { start }: Options, io: Io): Promise<void> {
  const say = (sentence: string) => io.out(`${sentence}\n`);
  const user = await ensureUser(plan.user, say);
  if (plan.jobUser !== null) await ensureUser(plan.jobUser, say);
  await assertRunnable(plan, user);
  const unit = { noun: 'unit of horarium service:install', beginning: unitBeginning, mode: 0o644 };
  await writeReplaceableFile(io, unitPath, unit, (write) => write(unitOf(plan, user.group)));
  await chmod(unitPath, 0o644);
  await say(`${unitPath} was written.`);
  await makeStateFolder(user);
  const key = await writeConfiguration(plan, user, say);
  await prepareStore(plan, user, key);
  await startUnit(start, say);
}

type Say = (sentence: string) => Promise<void>;

async function ensureUser(name: string, say: Say): Promise<SystemUser> {
  const known = await findSystemUser(name);
  if (known) return known;
  const created = await createSystemUser(name, stateFolder);
  await say(`The user ${name} was created.`);
  return created;
}

/** @throws HorariumError `unavailable` if the user may not read the program, as where it lies in the home of another one. */
async function assertRunnable({ program }: Plan, user: SystemUser): Promise<void> {
  const code = await runAs(user, [...program, '--version'], { folder: '/', quiet: true }).catch(
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  );
  if (code === 0) return;
  throw new HorariumError(
    'unavailable',
    `The user ${user.name} cannot run ${program.join(' ')} (${code}). Install Node and Horarium where every user may read them, such as /usr/lib or /opt.`,
  );
}

/** Makes the folder of the store, which belongs to the user with all that is in it. */
async function makeStateFolder({ uid, gid }: SystemUser): Promise<void> {
  await mkdir(stateFolder, { recursive: true, mode: 0o700 });
  if ((await stat(stateFolder)).uid !== uid)
    await runSystemTool('chown', ['--recursive', '--', `${uid}:${gid}`, stateFolder]);
}

/**
 * Writes the settings file and the key of a new installation.
 * @returns the vault key; null where systemd does not hand it to the service.
 */
async function writeConfiguration(plan: Plan, user: SystemUser, say: Say): Promise<string | null> {
  const { settings, vaultKeyFile } = plan;
  await mkdir(dirname(systemConfigFile), { recursive: true, mode: 0o755 });
  // A key that is there already belongs to a store.
  const isNew = vaultKeyFile !== null && settings !== null && !(await isThere(vaultKeyFile));
  const key = isNew ? createKeyFile(vaultKeyFile) : vaultKeyFile === null ? null : readKeyFile(vaultKeyFile);
  if (key === undefined)
    throw new HorariumError(
      'unavailable',
      `${vaultKeyFile}, which vault_key_file in ${systemConfigFile} names, is missing.`,
    );
  if (isNew) await say(`${vaultKeyFile} was created. Keep a copy of it, apart from the backups.`);
  if (settings === null) await say(`${systemConfigFile} is kept; root and the group ${user.group} may read it.`);
  else {
    await writeFile(systemConfigFile, settings, { flag: 'wx', flush: true });
    await say(`${systemConfigFile} was written.`);
  }
  // It may come to hold the password of a database.
  await chown(systemConfigFile, 0, user.gid);
  await chmod(systemConfigFile, 0o640);
  return key;
}

/**
 * Prepares the store as the first start would, so that the password of the first user is shown here, and not in the journal.
 * @throws HorariumError `unavailable` if that fails.
 */
async function prepareStore({ program }: Plan, user: SystemUser, key: string | null): Promise<void> {
  const code = await runAs(user, [...program, 'migrate'], {
    folder: stateFolder,
    environment: { HORARIUM_CONFIG: systemConfigFile, ...(key !== null && { HORARIUM_VAULT_KEY: key }) },
  });
  if (code !== 0)
    throw new HorariumError(
      'unavailable',
      'The store is not ready, so the service was not started. Run service:install again when the cause is mended.',
    );
}

/** Enables the unit and starts it, or starts it again with a program or a unit that is newer. */
async function startUnit(start: boolean, say: Say): Promise<void> {
  const later = 'sudo systemctl enable --now horarium';
  // As sd_booted(3) finds out whether systemd is the init system.
  if (!(await isThere('/run/systemd/system'))) {
    await say(`systemd does not run here, so the service was neither enabled nor started: ${later}`);
    return;
  }
  await runSystemTool('systemctl', ['daemon-reload']);
  if (!start) {
    await say(`The service was neither enabled nor started: ${later}`);
    return;
  }
  await runSystemTool('systemctl', ['enable', '--quiet', 'horarium']);
  try {
    await runSystemTool('systemctl', ['restart', 'horarium']);
  } catch (error) {
    throw new HorariumError(
      'unavailable',
      `The service was not started: ${(error as Error).message}\njournalctl -u horarium says why.`,
    );
  }
  await say('The service was started, as it is at each boot. Next: sudo horarium status');
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

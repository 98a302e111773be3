import { chmod, chown, lstat, mkdir, readFile, readlink, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { conflict, HorariumError } from '@horarium/core';
import { createKeyFile } from '@horarium/core/node';
import type { Command } from 'commander';
import type { Io } from '../../cli/io.ts';
import { writeReplaceableFile } from '../../cli/replaceable-file.ts';
import { readSettings } from '../../cli/setting-options.ts';
import { systemConfigFile } from '../../config/config-file.ts';
import { userOfJobs } from '../../jobs-as-root.ts';
import { runSystemTool } from '../../system-tool.ts';
import { createSystemUser, findSystemUser, makeFolderOf, runAs, type SystemUser } from './system-user.ts';
import { installedUser, isStartable, stateFolder, unitBeginning, unitFile, unitPath } from './unit-file.ts';

const keyPath = '/etc/horarium/vault_key';
/** The user of a service that runs jobs of one user, and that of jobs of a service of root. */
const defaultUsers = { service: 'horarium', jobs: 'horarium-jobs' };
const settingsBeginning = '# The settings of Horarium on this machine';

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
  readonly systemd: number | null;
  /** Whether the service was installed before: its start then migrates the store, by all that the unit sets. */
  readonly isUpdate: boolean;
}

/** Adds `service:install`, which makes this machine start the service by systemd. */
export function addServiceInstall(program: Command, io: Io): void {
  program
    .command('service:install')
    .description(
      'Let systemd run the service on this machine. It writes its unit, its settings and its key, and starts it.',
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
      const plan = await planFor(options, io);
      if (options.dryRun) await printPlan(plan, io);
      else await install(plan, options, io);
    });
}

/** Checks all that can be checked before anything is written. @throws HorariumError with what has to be changed first. */
async function planFor(options: Options, io: Io): Promise<Plan> {
  const former = await installedUser();
  const user = options.user ?? former ?? defaultUsers.service;
  await assertUsable(user);
  const program = [process.execPath, await realpath(process.argv[1] ?? '')];
  const strange = program.find((path) => !isStartable(path));
  if (strange !== undefined)
    throw conflict(`systemd cannot start ${strange}: move it to a path of letters, digits, spaces and @+=:,./-_.`);
  await assertUnitReplaceable();
  const isKept = ((await stat(systemConfigFile).catch(() => null))?.size ?? 0) > 0;
  if (isKept) await checkKept(user, io);
  const jobUser = user === 'root' ? defaultUsers.jobs : null;
  return {
    user,
    jobUser,
    program,
    settings: isKept ? null : newSettings(jobUser),
    systemd: await systemdVersion(),
    isUpdate: former !== null,
  };
}

/** @throws HorariumError for a user that is missing and not made here, or is root by another name. */
async function assertUsable(name: string): Promise<void> {
  const user = await findSystemUser(name);
  if (!user && name !== defaultUsers.service)
    throw new HorariumError('bad_request', `--user must be the name of a user of this machine, not ${name}.`);
  if (user?.uid === 0 && name !== 'root') throw new HorariumError('bad_request', `${name} is root: use --user root.`);
}

/** @throws HorariumError `conflict` for a unit that is not of this program, or masked. */
async function assertUnitReplaceable(): Promise<void> {
  const stats = await lstat(unitPath).catch(() => null);
  if (!stats) return;
  if (stats.isSymbolicLink() && (await readlink(unitPath)) === '/dev/null')
    throw conflict('The unit is masked: systemctl unmask horarium');
  if (!(await readFile(unitPath, 'utf8')).startsWith(unitBeginning))
    throw conflict(`${unitPath} was not written by service:install: move it away first.`);
}

/** What a service of root can let jobs run as, which is for the operator to fill. */
const allowedUsers = [
  '# Users that jobs may run as, besides that of run_as, such as those of crontabs: [jana, www-data]',
  'plugin_options:',
  '  executor-native:',
  '    users: []',
];

/** The settings that say where everything is, so that commands find it from any folder. */
const places = {
  database_url: `sqlite:${stateFolder}/var/horarium.sqlite`,
  audit_archive: `${stateFolder}/var/audit`,
  vault_key_file: keyPath,
};

/** The settings of a new installation. */
function newSettings(jobUser: string | null): string {
  const settings = { host: '127.0.0.1', port: '8080', ...places, ...(jobUser !== null && { run_as: jobUser }) };
  const lines = [
    `${settingsBeginning}: horarium config lists all, horarium help settings explains them.`,
    ...Object.entries(settings).map(([name, value]) => `${name}: ${value}`),
    ...(jobUser === null ? [] : allowedUsers),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * Checks that the settings file suits a service of this user, because jobs must not run as root by accident, and warns where
 * commands would look for another store or key than the service.
 * @throws HorariumError `conflict` if it does not suit, `invalid` if a setting is wrong.
 */
async function checkKept(user: string, io: Io): Promise<void> {
  const { config, effective } = await readSettings(
    { environment: { HORARIUM_CONFIG: systemConfigFile }, folder: stateFolder, machine: io.machine },
    systemConfigFile,
  );
  const jobUser = userOfJobs(config);
  if (user === 'root' && jobUser === null)
    throw conflict(
      `${systemConfigFile} has no run_as, so that jobs would run as root. Add "run_as: ${defaultUsers.jobs}", or another user.`,
    );
  if (user !== 'root' && jobUser !== null)
    throw conflict(
      `Only root can run jobs as ${jobUser}, as run_as in ${systemConfigFile} says: use --user root, or remove run_as.`,
    );
  const defaults: readonly string[] = effective
    .filter(({ source }) => source === 'default')
    .map(({ setting }) => setting.name);
  const missing = Object.entries(places).filter(([name]) => defaults.includes(name.replace(/_file$/, '')));
  if (missing.length > 0)
    await io.err(
      `Warning: ${systemConfigFile} does not say where all is, so that commands look for it in their own folder. Add:\n${missing.map(([name, value]) => `  ${name}: ${value}\n`).join('')}`,
    );
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

function unitOf({ program, user, systemd }: Plan, group: string): string {
  return unitFile({ program, user, group, systemd, configFile: systemConfigFile });
}

async function install(plan: Plan, { start }: Options, io: Io): Promise<void> {
  const say = (sentence: string) => io.out(`${sentence}\n`);
  const user = await ensureUser(plan.user, stateFolder, say);
  await assertRunnable(plan, user);
  if (plan.jobUser !== null) await ensureJobUser(plan.jobUser, say);
  await makeFolderOf(user, stateFolder);
  await writeConfiguration(plan, user, io, say);
  if (!plan.isUpdate || plan.settings !== null) await prepareStore(plan, user, io);
  const unit = { noun: 'unit', beginning: unitBeginning, mode: 0o644 };
  await writeReplaceableFile(io, unitPath, unit, (write) => write(unitOf(plan, user.group)));
  await chmod(unitPath, 0o644);
  await say(`${unitPath} was written.`);
  await startUnit(start, say);
}

type Say = (sentence: string) => Promise<void>;

async function ensureUser(name: string, home: string, say: Say): Promise<SystemUser> {
  const known = await findSystemUser(name);
  if (known) return known;
  const created = await createSystemUser(name, home);
  await say(`The user ${name} was created.`);
  return created;
}

/** Makes the user of jobs, with a home of its own, where jobs of crontabs begin. */
async function ensureJobUser(name: string, say: Say): Promise<void> {
  if (await findSystemUser(name)) return;
  const home = `/var/lib/${name}`;
  await makeFolderOf(await ensureUser(name, home, say), home);
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

/** Writes the settings file and the key of a new installation; those of an earlier one stay as they are. */
async function writeConfiguration({ settings }: Plan, user: SystemUser, io: Io, say: Say): Promise<void> {
  if (settings === null) {
    await say(`${systemConfigFile} is kept as it is.`);
    return;
  }
  const created = await mkdir(dirname(systemConfigFile), { recursive: true });
  // Whatever the umask is, the service comes to its settings.
  if (created !== undefined) await chmod(dirname(systemConfigFile), 0o755);
  // A key that is there already belongs to a store.
  if (!(await stat(keyPath).catch(() => null))) {
    createKeyFile(keyPath);
    await chown(keyPath, user.uid, user.gid);
    await say(`${keyPath} was created. Keep a copy of it, apart from the backups.`);
  }
  const kind = { noun: 'new settings file', beginning: settingsBeginning, mode: 0o640 };
  await writeReplaceableFile(io, systemConfigFile, kind, (write) => write(settings));
  // It may come to hold the password of a database. The service may read it, and not change what root goes by.
  await chown(systemConfigFile, 0, user.gid);
  await chmod(systemConfigFile, 0o640);
  await say(`${systemConfigFile} was written.`);
}

/**
 * Prepares the store as the first start would, so that the password of the first user is shown here, and not in the journal.
 * @throws HorariumError `unavailable` if that fails.
 */
async function prepareStore({ program }: Plan, user: SystemUser, { environment }: Io): Promise<void> {
  const { HORARIUM_ADMIN_PASSWORD: password } = environment;
  const code = await runAs(user, [...program, 'migrate'], {
    folder: stateFolder,
    environment: { HORARIUM_CONFIG: systemConfigFile, ...(password && { HORARIUM_ADMIN_PASSWORD: password }) },
  });
  if (code !== 0)
    throw new HorariumError(
      'unavailable',
      'The store is not ready, so the service was not installed. Run service:install again when the cause is mended.',
    );
}

/** Enables the unit and starts it, or starts it again with a program or a unit that is newer. */
async function startUnit(start: boolean, say: Say): Promise<void> {
  const later = 'sudo systemctl enable --now horarium';
  // As sd_booted(3) finds out whether systemd is the init system.
  if (!(await stat('/run/systemd/system').catch(() => null))) {
    await say(`systemd does not run here, so the service was neither enabled nor started: ${later}`);
    return;
  }
  await runSystemTool('systemctl', ['daemon-reload']);
  if (!start) {
    await say(`The service was not started, nor started again: ${later}`);
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
  await say('The service was started, as it is at each boot. Next: sudo horarium doctor');
}

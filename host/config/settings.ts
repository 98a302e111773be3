import { choice, integer, leaseBounds, maxKeepDays, maxKeepLast, text } from '@horarium/core';
import { databaseUrlForms } from '../../adapters/mikro-orm/databases.ts';
import { databaseOf, withoutPassword } from './database-url.ts';
import { type Setting, setting, type Unnamed } from './setting.ts';
import {
  actionLists,
  duration,
  keys,
  list,
  networks,
  origins,
  pluginOptions,
  size,
  timezone,
  upTo,
  users,
  webUrl,
} from './setting-fields.ts';

/** Every setting. The code that reads, checks, prints and documents settings derives from this table. */
const table = {
  host: setting(text(255, { description: 'Address to listen on.' }), { default: '127.0.0.1' }),
  port: setting(integer({ description: 'Port to listen on; 0 = any free one.' }).min(0).max(65_535), {
    default: '8080',
  }),
  public_url: setting(webUrl({ description: 'The URL at which people and programs reach the service, for links.' }), {
    show: withoutPassword,
  }),
  database_url: {
    ...setting(
      text(4096, {
        description: 'The database that stores everything; memory: forgets everything when the service stops.',
        expected: databaseUrlForms,
      }),
      { default: 'sqlite:var/horarium.sqlite', secret: 'part', show: withoutPassword },
    ),
    read: databaseOf,
  },
  sqlite_synchronous: setting(
    choice(['full', 'normal'], {
      description: 'full loses nothing; normal is faster, and a power failure may lose the last moments.',
    }),
    { default: 'full' },
  ),
  admin_password: setting(
    text(4096, {
      description: 'Password of the first user, at least 12 characters; read only if the store is empty.',
    }),
    { secret: 'whole', defaultNote: 'random, printed once' },
  ),
  vault_key: setting(keys({ description: 'Keys that secrets are encrypted with, the newest first.' }), {
    secret: 'whole',
    defaultNote: 'the file var/vault.key',
  }),
  timezone: setting(timezone({ description: 'The time zone of run templates that set none.' }), {
    default: (machine) => machine.timezone,
    defaultNote: "the system's",
  }),
  workers: setting(
    integer({ description: 'The maximum number of jobs that run at once in this process; 0 = it runs none.' })
      .min(0)
      .max(10_000),
    {
      default: (machine) => String(machine.cores * 4),
      defaultNote: 'number of cores × 4',
    },
  ),
  lease: setting(
    duration({ description: 'How long after a worker falls silent its jobs count as lost.' }, leaseBounds),
    { default: '10s' },
  ),
  shutdown_grace: setting(
    duration({ description: 'How long running jobs may continue after the service is asked to stop.' }),
    { default: '30s' },
  ),
  max_output: setting(size({ description: "The maximum size of one job's stored output." }), { default: '10MiB' }),
  max_output_per_day: setting(
    size({ description: "The maximum size of a company's stored output per UTC day; further output is cut." }),
    { default: '10GiB' },
  ),
  max_artifacts_per_day: setting(
    size({
      description:
        "The maximum size of a company's stored artifacts per UTC day; further files are not stored, and their jobs say so.",
    }),
    { default: '10GiB' },
  ),
  max_changes_per_day: setting(
    size({
      description:
        "The maximum size of the changes to a company's records per UTC day; further changes are refused, except those of admins.",
    }),
    { default: '1GiB' },
  ),
  retention_days: setting(
    upTo(maxKeepDays, 'forever', {
      description:
        'Days after which ended Tasks and jobs are deleted, and events. A company or a run template may say otherwise.',
    }),
    { default: 'forever' },
  ),
  retention_files_days: setting(
    upTo(maxKeepDays, 'forever', {
      description:
        'Days after which the output and the artifacts of ended jobs are deleted. A company or a run template may say otherwise.',
    }),
    { default: '90' },
  ),
  retention_last: setting(
    upTo(maxKeepLast, 'all', {
      description:
        'How many Tasks, and how many jobs without a Task, a run template keeps at most: the newest. A company or a run template may say otherwise.',
    }),
    { default: 'all' },
  ),
  retention_max_rows: setting(
    integer({
      description:
        'The maximum number of Tasks and jobs of a company, of its events and of its deliveries; the oldest are deleted.',
    })
      .min(1000)
      .max(1_000_000_000),
    { default: '10000000' },
  ),
  retention_audit_days: setting(
    upTo(maxKeepDays, 'forever', {
      description: 'Days after which sealed entries of the audit log leave the database for files in `audit_archive`.',
    }),
    { default: 'forever' },
  ),
  audit_archive: setting(
    text(4096, { description: 'The folder with the entries of the audit log that have left the database.' }),
    { default: 'var/audit', path: true },
  ),
  max_templates: setting(
    integer({ description: "The maximum number of a company's active templates; further ones cannot be activated." })
      .min(1)
      .max(1_000_000),
    { default: '10000' },
  ),
  max_queued: setting(
    integer({
      description:
        "The maximum number of a company's waiting jobs; further ad hoc jobs are refused. Jobs of windows are never refused.",
    })
      .min(1)
      .max(1_000_000),
    { default: '10000' },
  ),
  max_fan_out: setting(
    integer({
      description: 'The maximum number of jobs that one event rule makes of one event, if a selector finds a list.',
    })
      .min(1)
      .max(10_000),
    { default: '1000' },
  ),
  login_ttl: setting(
    duration({ description: 'How long the token of a login, or a session, is valid.' }, { min: 1000 }),
    {
      default: '12h',
    },
  ),
  max_body: setting(size({ description: 'The maximum size of a request body.' }), { default: '1MiB' }),
  max_requests_per_second: setting(
    integer({
      description:
        'The maximum number of requests that a user may send per second, ten times as many in a burst, and may have under way at once. 0 = no limit. Admins have no limit.',
    })
      .min(0)
      .max(1_000_000),
    { default: '100' },
  ),
  max_connections: setting(integer({ description: 'The maximum number of open connections.' }).min(1).max(1_000_000), {
    default: '1000',
  }),
  max_connections_per_address: setting(
    integer({
      description:
        'The maximum number of open connections from one address (for IPv6: one /64) that is not a trusted proxy.',
    })
      .min(1)
      .max(1_000_000),
    { default: '500' },
  ),
  cors_origins: setting(
    origins({ description: 'Origins whose pages may call the API from a browser, such as https://app.example.com.' }),
  ),
  metrics: setting(
    choice(['token', 'open'], {
      description: 'Who may read /metrics: token = admins, open = everyone who can reach it.',
    }),
    { default: 'token' },
  ),
  metrics_tasks: setting(
    choice(['company', 'template'], {
      description:
        'Whether /metrics counts Tasks by company or by template; template makes seven figures for each RunTemplate.',
    }),
    { default: 'company' },
  ),
  tls_cert: setting(text(4096, { description: 'PEM file with the certificate and its chain: serves HTTPS.' }), {
    path: true,
  }),
  tls_key: setting(text(4096, { description: 'PEM file with the private key of the certificate.' }), { path: true }),
  trust_proxy: setting(networks({ description: 'Proxies whose X-Forwarded-* headers are believed.' })),
  run_as: setting(
    text(255, {
      description:
        'Operating-system user that runs the jobs; only a service that runs as root can set one. The value root lets jobs run as root.',
    }),
  ),
  job_users: setting(
    users({
      description:
        'Operating-system users for the jobs of companies: admins give each company a user of its own (run_as). The service must run as root.',
    }),
  ),
  executables: setting(list({ description: 'Folders; jobs may only start programs inside them.' })),
  outbound_networks: setting(
    networks({
      description:
        'Private networks that the HTTP requests of jobs and actions may reach, such as 10.0.0.0/8; all other private addresses are refused.',
    }),
  ),
  plugins: setting(
    list({ description: 'Plugins to load, by name or path; built-in = all plugins that come with the service.' }),
    { defaultNote: 'the built-in ones' },
  ),
  plugin_options: setting(pluginOptions({ description: 'Options of plugins, by the name of the plugin.' }), {
    secret: 'whole',
    default: '{}',
  }),
  actions: setting(
    actionLists({
      description:
        'Actions that follow the Tasks and ad hoc jobs of every run template, by the event that they follow.',
    }),
    { secret: 'whole', default: '{}' },
  ),
  log_level: setting(
    choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      description: 'The lowest level that is logged.',
    }),
    { default: 'info' },
  ),
  log_format: setting(choice(['pretty', 'json'], { description: 'The format of log lines.' }), {
    default: (machine) => (machine.terminal ? 'pretty' : 'json'),
    defaultNote: 'pretty on a terminal, else json',
  }),
} satisfies Record<string, Unnamed<unknown>>;

type Table = typeof table;
export type SettingName = keyof Table;
/** The effective, checked value of each setting. */
export type Config = { readonly [K in SettingName]: Table[K] extends Unnamed<infer T> ? T : never };

export const settings: readonly (Setting & { readonly name: SettingName })[] = Object.freeze(
  Object.entries(table).map(([name, entry]) => Object.freeze({ name: name as SettingName, ...entry })),
);

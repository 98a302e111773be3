import { readDatabaseUrl } from './database-url.ts';
import {
  duration,
  key,
  list,
  network,
  oneOf,
  optionsByName,
  origin,
  size,
  text,
  timezone,
  webUrl,
  whole,
} from './kinds.ts';
import { optional, type Setting, setting, type Unnamed } from './setting.ts';
import { withoutPassword } from './without-password.ts';

/** Every setting there is. What reads, checks, prints and documents settings is a function of this table. */
const table = {
  host: setting({ ...text, initial: '127.0.0.1', meaning: 'Address to listen on.' }),
  port: setting({ ...whole(0, 65_535), initial: '8080', meaning: 'Port to listen on; 0 = any free one.' }),
  public_url: optional({ ...webUrl, show: withoutPassword, meaning: 'The address that others reach it by.' }),
  database_url: setting({
    kind: 'sqlite:PATH, postgres://USER:PASSWORD@HOST:PORT/NAME or memory:',
    read: readDatabaseUrl,
    show: withoutPassword,
    initial: 'sqlite:var/horarium.sqlite',
    meaning: 'Where everything is kept; memory: is thrown away at the end.',
  }),
  sqlite_synchronous: setting({
    ...oneOf('full', 'normal'),
    initial: 'full',
    meaning: 'normal is faster and may lose the last moments when the power fails.',
  }),
  admin_password: optional({
    ...text,
    secret: true,
    initialNote: 'random, printed once',
    meaning: 'Password of the first user, at least 12 characters; only looked at when the store is empty.',
  }),
  vault_key: optional({
    ...list(key),
    secret: true,
    initialNote: 'the file var/vault.key',
    meaning: 'Keys that secrets are encrypted with, the newest first.',
  }),
  timezone: setting({
    ...timezone,
    initial: (machine) => machine.timezone,
    initialNote: "the system's",
    meaning: "The service's time zone: run templates without one of their own get it.",
  }),
  workers: setting({
    ...whole(0, 10_000),
    initial: (machine) => String(machine.cores * 4),
    initialNote: 'number of cores × 4',
    meaning: 'Jobs that run at once in this process; 0 = none.',
  }),
  lease: setting({
    // A dead worker's jobs must be noticed within 15 s, one look at the leases included.
    ...duration(2000, 12_000),
    initial: '10s',
    meaning: 'How long a worker that falls silent keeps its jobs before others take them for lost.',
  }),
  shutdown_grace: setting({
    ...duration(),
    initial: '30s',
    meaning: 'How long running jobs may go on after the service was told to stop.',
  }),
  output_cap: setting({ ...size, initial: '10MiB', meaning: 'How much of the output of one job is kept.' }),
  login_ttl: setting({ ...duration(1000), initial: '12h', meaning: 'How long the token of a login is valid.' }),
  max_body: setting({ ...size, initial: '1MiB', meaning: 'The largest request body that is read.' }),
  max_connections: setting({ ...whole(1, 1_000_000), initial: '1000', meaning: 'Connections at once.' }),
  max_connections_per_address: setting({
    ...whole(1, 1_000_000),
    initial: '500',
    meaning: 'The same from one address (of IPv6: one /64) that is no trusted proxy.',
  }),
  cors_origins: optional({
    ...list(origin),
    meaning: 'Origins whose pages may call the API from a browser, such as https://app.example.com.',
  }),
  metrics: setting({
    ...oneOf('token', 'open'),
    initial: 'token',
    meaning: 'Who may read /metrics: open = everybody who can reach it.',
  }),
  tls_cert: optional({ ...text, meaning: 'PEM file with the certificate and its chain: serves HTTPS.' }),
  tls_key: optional({ ...text, meaning: 'PEM file with the private key of the certificate.' }),
  trust_proxy: optional({ ...list(network), meaning: 'Proxies whose X-Forwarded-* headers are believed.' }),
  run_as: optional({ ...text, meaning: 'Operating-system user that jobs run as; the service must run as root.' }),
  executables: optional({ ...list(text), meaning: 'Folders; jobs may only start programs inside them.' }),
  plugins: optional({
    ...list(text),
    initialNote: 'the built-in ones',
    meaning: 'Plugins to load, by name or path; built-in stands for all that come with the service.',
  }),
  plugin_options: setting({
    ...optionsByName,
    secret: true,
    initial: '{}',
    meaning: 'Options of plugins, by the name of the plugin.',
  }),
  log_level: setting({
    ...oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    initial: 'info',
    meaning: 'The least important lines that are logged.',
  }),
  log_format: setting({
    ...oneOf('pretty', 'json'),
    initial: (machine) => (machine.terminal ? 'pretty' : 'json'),
    initialNote: 'pretty on a terminal, else json',
    meaning: 'How log lines look.',
  }),
} satisfies Record<string, Unnamed<unknown>>;

type Table = typeof table;
export type SettingName = keyof Table;
/** The effective values, checked. */
export type Config = { readonly [K in SettingName]: Table[K] extends Unnamed<infer T> ? T : never };

export const settings: readonly (Setting & { readonly name: SettingName })[] = Object.freeze(
  Object.entries(table).map(([name, each]) => Object.freeze({ name: name as SettingName, ...each })),
);

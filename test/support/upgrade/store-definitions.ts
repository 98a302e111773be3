import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { StoreClient } from './store-client.ts';

export interface DefinitionOptions {
  /** The origin of a web server that answers `/refused` by 500 and all else by 200. */
  readonly receiver: string;
  /** The folder of the SQLite file that an event source reads. */
  readonly folder: string;
  readonly passwords: Readonly<Record<string, string>>;
}

/** The definitions of a filled store: ids of its records, and the plain text of its secrets. */
export type Definitions = Awaited<ReturnType<typeof addDefinitions>>;

const secret = (name: string) => `${name}-${randomBytes(12).toString('hex')}`;
const shell = (script: string) => ({ executable: '/bin/sh', arguments: ['-c', script] });
const hours = 3_600_000;
const inHours = (count: number) => new Date(Date.now() + count * hours).toISOString();

/** Adds every kind of record that people write. */
export async function addDefinitions(client: StoreClient, { receiver, folder, passwords }: DefinitionOptions) {
  const secrets = {
    password: secret('password'),
    default: secret('default'),
    template: secret('template'),
    company: secret('company'),
    later: secret('later'),
    authorization: `Bearer ${secret('authorization')}`,
    webhook: `whsec_${randomBytes(32).toString('base64')}`,
  };
  const topic = await client.save('topic', { name: 'Žluťoučký kůň', color: '#1f77b4', description: 'one\ntwo' });
  await client.do('/topic/', { name: 'repeated' }, { 'idempotency-key': 'fixture-1' });

  const on_failure = [{ action: 'webhook', url: `${receiver}/refused`, secret: secrets.webhook }];
  const on_success = [{ action: 'webhook', url: `${receiver}/received`, authorization: secrets.authorization }];
  const environment = { COMPANY_SECRET: secrets.company };
  const company = await client.save('company', { code: 'acme', name: 'Acme', settings: { a: [1, null] }, environment });
  const other = await client.save('company', { code: 'globex', name: 'Globex', max_running: 2, on_failure });
  await client.save('company', { code: 'closed', name: 'Closed', enabled: false });

  const { jana: password = '', eva = '' } = passwords;
  const jana = await client.save('user', { login: 'jana', email: 'jana@acme.example', password });
  const viewer = await client.save('user', {
    login: 'eva',
    first_name: 'Eva',
    password: eva,
    settings: { theme: 'dark' },
  });
  await client.save('user', { login: 'karel', enabled: false });
  await client.do(`/user/${jana}/roles/`, { roles: ['editor'] });
  await client.do(`/user/${viewer}/roles/`, { roles: ['viewer'] });
  await client.do(`/company/${company}/user/`, { user_id: jana, role: 'manager' });
  await client.do(`/company/${other}/user/`, { user_id: viewer, role: 'viewer' });

  const credentialType = await client.save('credential_type', {
    code: 'account',
    name: 'Account',
    fields: [
      { keyword: 'USER_NAME', type: 'string', required: true },
      { keyword: 'PASS_WORD', type: 'password', required: true },
      { keyword: 'WITH_DEFAULT', type: 'secret', default: secrets.default },
    ],
  });
  const values = { USER_NAME: 'jane', PASS_WORD: secrets.password };
  const credential = await client.save('credential', {
    name: 'account',
    company_id: company,
    credential_type_id: credentialType,
    values,
    expires_at: inHours(50_000),
  });

  const app = (name: string, fields: object) => client.save('app', { name, code: name, ...fields });
  const declared = {
    NOTE: { type: 'string', default: 'none' },
    TEMPLATE_SECRET: { type: 'password' },
    COMPANY_SECRET: { type: 'secret' },
  };
  const apps = {
    report: await app('report', {
      ...shell('echo "$NOTE"; cat; echo error >&2; echo dump > dump.sql; echo "{\\"rows\\": 3}" > result.json'),
      stdin: 'from the input\n',
      environment: declared,
      result_file: 'result.json',
      artifacts: [{ name: 'dump', path: '\\.sql$', type: 'application/sql' }],
      produces: { dump: { format: 'sql' } },
      exit_codes: { 0: { severity: 'success' }, 2: { severity: 'error', retry: false } },
      translations: { cs: { name: 'hlášení' } },
      requirements: ['account'],
      topics: [topic],
      tags: ['a', 'b'],
      extra: { 'two words': [1, null] },
      homepage: 'https://example.com/?a=1',
    }),
    ok: await app('ok', shell('true')),
    failing: await app('failing', shell('echo failing >&2; exit 3')),
    slow: await app('slow', shell('sleep 2')),
    endless: await app('endless', shell('echo begun; sleep 1000')),
    container: await app('container', {
      executable: 'date',
      arguments: ['-u'],
      oci_image: 'docker.io/library/alpine:3',
    }),
    request: await app('request', { executable: `${receiver}/job`, arguments: ['Accept: text/plain'] }),
  };
  await app('disabled', { ...shell('true'), enabled: false, helm_chart: 'charts/none' });

  const ends_at = inHours(1);
  const template = (name: string, fields: object) =>
    client.save('runtemplate', { name, code: name, company_id: company, app_id: apps.ok, interval: 'none', ...fields });
  const every = (seconds: number, fields: object = {}) => ({
    interval: 'custom',
    cron: seconds === 1 ? '* * * * * *' : `*/${seconds} * * * * *`,
    ends_at,
    ...fields,
  });
  const external = { app_id: apps.report, executor: 'external', overlap: 'allow' };
  const templates = {
    report: await template('report', {
      app_id: apps.report,
      environment: { TEMPLATE_SECRET: secrets.template },
      credentials: [credential],
      topics: [topic],
      on_success,
      note: 'A remark.',
    }),
    failing: await template('failing', {
      app_id: apps.failing,
      max_attempts: 2,
      retry_backoff: 'fixed',
      on_failure: [...on_failure, { action: 'disable', after: 100 }],
    }),
    slow: await template('slow', { app_id: apps.slow, timeout: 1 }),
    sleeping: await template('sleeping', { app_id: apps.endless }),
    hung: await template('hung', { app_id: apps.endless }),
    container: await template('container', { app_id: apps.container, executor: 'podman' }),
    request: await template('request', {
      app_id: apps.request,
      executor: 'http',
      executor_options: { status: '200-299', authorization: secrets.authorization },
    }),
    external: await template('external', { ...external, executor_options: { heartbeat_timeout: 2 } }),
    claimed: await template('claimed', external),
    pinged: await template('pinged', { ...external, interval: 'daily', ends_at: inHours(24) }),
    chained: await template('chained', { app_id: apps.report, overlap: 'allow' }),
    inactive: await template('inactive', { active: false }),
    frequent: await template('frequent', every(1)),
    broken: await template('broken', every(2, { app_id: apps.failing, max_attempts: 2 })),
    late: await template('late', every(10, { app_id: apps.slow, deadline: '+1s', allow_late: true })),
    unclaimed: await template('unclaimed', every(2, external)),
    open: await template('open', every(20, { ...external, overlap: 'forbid' })),
    working: await template('working', every(20, { app_id: apps.endless, max_attempts: 2, deadline: '+15s' })),
    due: await template('due', every(10, { catch_up: 'all' })),
    daily: await template('daily', { interval: 'daily', catch_up: 'all', ends_at: inHours(24 * 30) }),
  };
  for (const interval of ['minutely', 'hourly', 'weekly', 'monthly', 'yearly'])
    await template(interval, {
      interval,
      timezone: 'Europe/Prague',
      delay: 5,
      jitter: 3,
      catch_up: 'none',
      active: false,
    });

  const billing = await client.save('eventsource', {
    name: 'billing',
    kind: 'webhook',
    options: { secret: secrets.webhook },
    companies: [company],
  });
  const shop = await client.save('eventsource', {
    name: 'shop',
    kind: 'changes-table',
    poll_interval: 1,
    options: { driver: 'sqlite', database: join(folder, 'shop.sqlite') },
  });
  const rule = (fields: object) => client.save('eventrule', { runtemplate_id: templates.chained, ...fields });
  await rule({ name: 'chain', runtemplate_source_id: templates.report, env_mapping: { NOTE: 'state' }, priority: 3 });
  await rule({ name: 'set aside', runtemplate_source_id: templates.report, runtemplate_id: templates.inactive });
  await rule({ name: 'hook', event_source_id: billing, evidence: 'order.*', env_mapping: { NOTE: '$.data.id' } });
  await rule({
    name: 'table',
    event_source_id: shop,
    operation: 'create',
    env_mapping: { NOTE: '$.externalids.shop' },
  });
  await rule({ name: 'off', event_source_id: shop, enabled: false });
  return { secrets, company, credentialType, credential, apps, templates, sources: { billing, shop } };
}

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Webhook } from 'standardwebhooks';
import { loopbackServer } from '../http/loopback-server.ts';
import { eventually } from '../mocha/eventually.ts';
import { SpawnedProgram } from '../program/spawned-program.ts';
import { runCommand, StoreClient, type StoreSettings } from './store-client.ts';
import { addDefinitions, type Definitions } from './store-definitions.ts';

/** What a store was filled with that its rows do not tell. */
export interface FilledStore {
  readonly vaultKeys: readonly [newest: string, ...older: string[]];
  readonly passwords: Readonly<Record<string, string>>;
  readonly tokens: Readonly<Record<'admin' | 'login' | 'revoked', string>>;
  readonly definitions: Definitions;
  /** The webhook that was received, with its signature, which is received again. */
  readonly webhook: {
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  /** The head of the audit log, as `--head` takes it. */
  readonly auditHead: string;
}

const key = () => randomBytes(32).toString('base64');

/** Fills an empty store with records of every kind in every state by a program of the service, and kills the service while a job runs. */
export async function fillStore(program: string, settings: StoreSettings): Promise<FilledStore> {
  const [older, newer] = [key(), key()] as const;
  const passwords = { admin: 'a password for the fixture', jana: 'another long password', eva: 'yet another password' };
  const withKeys = (...keys: string[]): StoreSettings => ({
    ...settings,
    environment: {
      HORARIUM_VAULT_KEY: keys.join(),
      HORARIUM_ADMIN_PASSWORD: passwords.admin,
      HORARIUM_OUTBOUND_NETWORKS: '127.0.0.0/8',
      HORARIUM_PLUGIN_OPTIONS: JSON.stringify({ 'event-source-changes-table': { sqlite_folders: [settings.folder] } }),
      ...settings.environment,
    },
  });
  const command = (keys: string[], ...line: string[]) => runCommand(program, withKeys(...keys), line);
  const token = async (keys: string[], ...line: string[]): Promise<string> =>
    JSON.parse(await command(keys, 'token:generate', '--user', 'admin', '--format', 'json', ...line)).token;

  await using receiver = await loopbackServer((request, response) => {
    request.resume();
    response.writeHead(request.url === '/refused' ? 500 : 200).end('received');
  });
  await command([older], 'migrate');
  const admin = await token([older], '--name', 'fixture');
  const revoked = await token([older], '--name', 'revoked');
  await token([older], '--name', 'short', '--ttl', '1s');

  await using first = await serve(program, withKeys(older));
  let client = new StoreClient(first.url, admin, globalThis.fetch);
  writeChanges(join(settings.folder, 'shop.sqlite'));
  const definitions = await addDefinitions(client, { receiver: receiver.origin, folder: settings.folder, passwords });
  const login = (await client.do('/login.json', { login: 'jana', password: passwords.jana })).access_token as string;
  const tokens = JSON.parse(await command([older], 'token:list', '--format', 'json')) as { id: number; name: string }[];
  await command([older], 'token:revoke', String(tokens.find(({ name }) => name === 'revoked')?.id));
  const webhook = await sendWebhook(client, definitions);
  await makeJobs(client, definitions);
  await makeTasks(client, definitions);
  await stop(first.service);

  await command([newer, older], 'vault:rotate');
  await using second = await serve(program, withKeys(newer, older));
  client = new StoreClient(second.url, admin, globalThis.fetch);
  await client.do('/topic/', { name: 'after the rotation' }, { 'idempotency-key': 'fixture-2' });
  await client.save('credential', {
    name: 'after the rotation',
    company_id: definitions.company,
    credential_type_id: definitions.credentialType,
    values: { USER_NAME: 'later', PASS_WORD: definitions.secrets.later },
  });
  await client.do('/job/', { runtemplate_id: definitions.templates.hung });
  await eventually('jobs run that the service leaves behind', async () => {
    const jobs = await client.do(`/jobs.json?runtemplate_id=${definitions.templates.hung}&state=running`);
    const due = await client.do(`/tasks.json?runtemplate_id=${definitions.templates.due}&state=fulfilled`);
    const working = await client.do(`/tasks.json?runtemplate_id=${definitions.templates.working}&state=running`);
    return jobs.length === 1 && working.length === 1 && due.length > 2;
  });
  const { audit_head: head } = await eventually('all entries are sealed', async () => {
    const entries = await client.do('/auditlog.json?limit=1');
    const status = await client.do('/status');
    return entries[0].seq !== null && status;
  });
  second.service.process.kill('SIGKILL');
  await second.service.ended;
  return {
    vaultKeys: [newer, older],
    passwords,
    tokens: { admin, login, revoked },
    definitions,
    webhook,
    auditHead: typeof head === 'string' ? head : `${head.seq}:${head.hash}`,
  };
}

async function serve(program: string, settings: StoreSettings) {
  const service = new SpawnedProgram(['serve', '--port', '0', '--workers', '8'], settings, { program });
  const [, url] = await service.waitForOutput(/^listening on (\S+)$/m);
  return {
    service,
    url: url as string,
    async [Symbol.asyncDispose]() {
      service.process.kill('SIGKILL');
      await service.ended;
    },
  };
}

async function stop(service: SpawnedProgram): Promise<void> {
  service.process.kill('SIGTERM');
  const code = await service.ended;
  if (code !== 0) throw new Error(`The service ended with ${code}: ${service.err}`);
}

/** Writes the table of a webhook adapter, which an event source reads. */
function writeChanges(file: string): void {
  const shop = new Database(file);
  shop.exec(`create table changes_cache (inversion integer primary key, recordid text, evidence text, operation text,
    externalids text, created text, source text, target text);
    insert into changes_cache values (1, 'o-1', 'order', 'create', '{"shop": "4711"}', '2026-11-25', 's', 't'),
      (2, 'o-1', 'order', 'update', null, '2026-11-25', 's', 't')`);
  shop.close();
}

async function sendWebhook(client: StoreClient, { secrets }: Definitions) {
  const body = JSON.stringify({ type: 'order.created', data: { id: 'w-1', total: 12 } });
  const at = new Date();
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': `${Math.floor(at.getTime() / 1000)}`,
    'webhook-signature': new Webhook(secrets.webhook).sign('msg_1', at, body),
  };
  const path = '//hook/billing';
  await client.do(path, body, headers);
  return { path, headers, body };
}

/** Runs jobs that are scheduled ad hoc into all states that they end in. */
async function makeJobs(client: StoreClient, { templates }: Definitions): Promise<void> {
  const schedule = async (template: number, more: object = {}): Promise<number> =>
    (await client.do('/job/', { runtemplate_id: template, ...more })).id;
  const inState = (id: number, ...states: string[]) =>
    eventually(`job ${id} is ${states.join(' or ')}`, async () => {
      const job = await client.do(`/job/${id}.json`);
      return states.includes(job.state) && job;
    });
  await inState(await schedule(templates.report), 'succeeded');
  await inState(await schedule(templates.failing), 'failed');
  await inState(await schedule(templates.slow), 'timed_out');
  await inState(await schedule(templates.container), 'failed');
  await inState(await schedule(templates.request), 'succeeded');
  const cancelled = await schedule(templates.sleeping);
  await inState(cancelled, 'running');
  await client.do('/job/', { id: cancelled, state: 'cancelled', reason: 'not needed' });
  await inState(cancelled, 'cancelled');
  await schedule(templates.report, { scheduled_at: '2027-06-01T00:00:00Z', environment: { NOTE: 'later' } });

  const silent = await schedule(templates.external);
  await client.do('/job/', { id: silent, state: 'running' });
  const reported = await schedule(templates.external);
  await inState(silent, 'lost');
  const { ping_url } = await client.do('/job/', { id: reported, state: 'running' });
  await globalThis.fetch(`${ping_url}&progress=40&message=rendering`);
  const artifacts = [{ filename: 'report.txt', content: Buffer.from('external').toString('base64') }];
  await client.do('/job/', { id: reported, stdout: 'page 1 of 3\n', artifacts });
  await client.do('/job/', { id: reported, exit_code: 0 });
  const open = await schedule(templates.claimed);
  await client.do('/job/', { id: open, state: 'running' });
  await client.do('/job/', { id: open, stdout: 'claimed\n' });
  await client.do(`/runtemplate/${templates.pinged}/ping.json`, {});
}

/** Waits until the templates with short windows have Tasks in all states, and switches most of them off. */
async function makeTasks(client: StoreClient, { templates }: Definitions): Promise<void> {
  const tasks = (template: number, state: string) => client.do(`/tasks.json?runtemplate_id=${template}&state=${state}`);
  const wanted = [
    [templates.frequent, 'fulfilled'],
    [templates.broken, 'failed'],
    [templates.late, 'fulfilled_late'],
    [templates.unclaimed, 'missed'],
  ] as const;
  for (const [template, state] of wanted)
    await eventually(
      `a Task of template ${template} is ${state}`,
      async () => (await tasks(template, state)).length > 0,
    );
  for (const template of [templates.frequent, templates.broken, templates.late, templates.unclaimed])
    await client.do(`/runtemplate/${template}.json`, { active: false });
  const waiting = await eventually('a job waits for a claim', async () => {
    const jobs = await client.do(`/jobs.json?runtemplate_id=${templates.open}&state=scheduled`);
    return jobs[0]?.task_id && jobs[0];
  });
  await client.do('/job/', { id: waiting.id, state: 'cancelled', reason: 'done by hand' });
  await eventually('a Task is open', async () => (await tasks(templates.open, 'open')).length > 0);
}

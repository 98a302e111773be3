import {
  type ActionEvent,
  App,
  Calendar,
  Company,
  Credential,
  CredentialType,
  Delivery,
  type DeliveryRow,
  Event,
  type EventRow,
  EventRule,
  EventSource,
  type Instant,
  Job,
  MaintenanceWindow,
  Pause,
  RunTemplate,
  type RunTemplateInput,
  Task,
  trustedActor,
  User,
  WorkerLease,
} from '@horarium/core';
import { serviceIds } from 'horarium/host';
import { required } from '#core/store/rows';
import { newRow } from '#core/store/table';
import { apps, caused, companies, type PastTemplate, templates } from './companies.ts';
import { addPastRuns, pastDays, type ScriptedRun, workerOf } from './past-runs.ts';
import { password, StoppedService } from './stopped-service.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
/** The day of the pictures, a Monday, begins then in Prague. */
const midnight = Date.parse('2026-11-23T00:00:00+01:00');
/** The time of the pictures. */
export const now = measured('14:04:20');

/** The user who looks at the pages. */
export const login = 'jana';

/** The ids of the records that the pictures show. */
export interface StoryIds {
  readonly template: number;
  readonly failedRun: number;
  readonly credential: number;
}

function at(time: string): Instant {
  return Date.parse(`2026-11-23T${time}+01:00`);
}

/** A time that no schedule names has milliseconds. */
function measured(time: string): Instant {
  return at(time) + 417;
}

/**
 * Opens a service that two companies have used for a month, at a time when some of their jobs need a person. Records and
 * their changes are written as people write them; runs are inserted as if hosts had run them.
 * @throws once the signal stops it.
 */
export async function openStory(
  signal: AbortSignal,
): Promise<{ readonly service: StoppedService; readonly ids: StoryIds }> {
  await using opening = new AsyncDisposableStack();
  const service = opening.use(await StoppedService.open(midnight - (pastDays + 12) * day));
  signal.throwIfAborted();
  const records = await addRecords(service);
  signal.throwIfAborted();
  service.moveTo(measured('12:10:04'));
  const ci = trustedActor('ci', 'http');
  await service.core.records(App).save(ci, { id: required(records.apps.get('invoices'), 'app'), version: '2.4.1' });
  service.moveTo(measured('13:39:12'));
  const invoices = required(records.templates.get('acme invoices'), 'template');
  const environment = { TIMEOUT: '5', ERP_HOST: 'erp.acme.example' };
  await service.core.records(RunTemplate).save(trustedActor('petr', 'ui'), { id: invoices, environment });
  service.moveTo(measured('14:02:40'));
  const pause = { runtemplate_id: required(records.templates.get('acme newsletter'), 'template') };
  const until = new Date(at('16:00:00')).toISOString();
  await service.core.records(Pause).save(trustedActor(login, 'ui'), { ...pause, until, reason: 'mail server moves' });
  service.moveTo(now);
  const [failedRun] = await addRuns(service, records);
  signal.throwIfAborted();
  await addHosts(service);
  await addMessages(service, records, required(failedRun, 'Task'));
  await service.core.start();
  opening.move();
  return {
    service,
    ids: { template: invoices, failedRun: required(failedRun, 'Task'), credential: records.credential },
  };
}

interface Records {
  readonly companies: ReadonlyMap<string, number>;
  readonly apps: ReadonlyMap<string, number>;
  /** By the codes of company and template. */
  readonly templates: ReadonlyMap<string, number>;
  readonly source: number;
  readonly credential: number;
}

async function addRecords({ core }: StoppedService): Promise<Records> {
  const actor = trustedActor('admin', 'ui');
  const people = [
    [login, 'Jana', 'Dvořáková', 'admin'],
    ['petr', 'Petr', 'Novák', 'editor'],
    ['ci', null, null, 'editor'],
  ] as const;
  for (const [name, first_name, last_name, role] of people) {
    const email = `${name}@acme.example`;
    const { id } = await core.records(User).save(actor, { login: name, email, first_name, last_name, password });
    await core.roles.set(actor, id, { roles: [role] }, true);
  }
  const ids = {
    companies: new Map<string, number>(),
    apps: new Map<string, number>(),
    templates: new Map<string, number>(),
  };
  for (const company of companies)
    ids.companies.set(company.code, (await core.records(Company).save(actor, { ...company })).id);
  for (const [code, app] of Object.entries(apps)) {
    const environment = code === 'invoices' ? invoiceVariables : {};
    ids.apps.set(code, (await core.records(App).save(actor, { code, ...app, environment })).id);
  }
  const save = async ({
    code,
    name,
    company,
    app,
    ...more
  }: Pick<PastTemplate, 'code' | 'name' | 'company' | 'app'> & Partial<RunTemplateInput>) => {
    const owners = {
      company_id: required(ids.companies.get(company), company),
      app_id: required(ids.apps.get(app), app),
    };
    const { id } = await core.records(RunTemplate).save(actor, { code, name, interval: 'none', ...owners, ...more });
    ids.templates.set(`${company} ${code}`, id);
    return id;
  };
  for (const { cron, fields, code, name, company, app } of templates)
    await save({ code, name, company, app, interval: 'custom', cron, timezone: 'Europe/Prague', ...fields });
  const causedId = await save(caused);
  const acme = required(ids.companies.get('acme'), 'company');
  const fields = [
    { keyword: 'PGUSER', name: 'User', type: 'string', required: true },
    { keyword: 'PGPASSWORD', name: 'Password', type: 'password', required: true },
  ] as const;
  const type = await core.records(CredentialType).save(actor, { code: 'postgresql', name: 'PostgreSQL', fields });
  const values = { PGUSER: 'invoices', PGPASSWORD: 'one that no page shows' };
  const owned = { company_id: acme, credential_type_id: type.id };
  const credential = await core.records(Credential).save(actor, { name: 'Database of the ERP', ...owned, values });
  await core.records(Credential).save(actor, { name: 'Archive of backups', ...owned, values });
  const secret = `whsec_${Buffer.alloc(32, 'of the shop').toString('base64')}`;
  const options = { kind: 'webhook', options: { secret }, companies: [acme] };
  const source = await core.records(EventSource).save(actor, { name: 'Orders of the shop', ...options });
  const chained = required(ids.templates.get('acme invoices'), 'template');
  const rule = { name: 'Statements after the invoices', runtemplate_source_id: chained, event: 'succeeded' };
  await core.records(EventRule).save(actor, { ...rule, runtemplate_id: causedId });
  const holidays = { code: 'cz', name: 'Working days', company_id: acme, weekdays: ['saturday', 'sunday'] as const };
  const calendar = await core.records(Calendar).save(actor, holidays);
  const span = { calendar_id: calendar.id, start_time: '01:00', end_time: '02:00', timezone: 'Europe/Prague' };
  await core
    .records(MaintenanceWindow)
    .save(actor, { code: 'erp', name: 'Updates of the ERP', company_id: acme, ...span });
  return { ...ids, source: source.id, credential: credential.id };
}

const invoiceVariables = {
  TIMEOUT: { type: 'integer', default: 30, description: 'Seconds to wait for a lock of the database.' },
  ERP_HOST: { type: 'text', required: true, description: 'Where the ERP answers.' },
} as const;

const output = {
  failed: [
    [1, 'connecting to erp.acme.example:5432 as invoices'],
    [1, 'password ••••••••'],
    [2, '\u001b[32m✓\u001b[0m 31 invoices read'],
    [2, 'writing batch 1 of 4'],
    [5, '\u001b[31merror: database is locked (waited 3 s of TIMEOUT=5)\u001b[0m', true],
    [5, '\u001b[31mrolled back; nothing was written\u001b[0m', true],
  ],
  running: [
    [1, 'reading the stock of 3 warehouses'],
    [60, '1,204 of 4,980 articles compared'],
    [180, '3,711 of 4,980 articles compared'],
  ],
} as const;

/** What happened shortly before the pictures: chance decides all else. */
const scripted: Readonly<Record<string, readonly ScriptedRun[]>> = {
  'acme invoices': [
    {
      start: at('14:00:00'),
      state: 'failed',
      reason: 'the last attempt failed (exit code 75); all 2 attempts are used up',
      attempts: [
        { ...failedAttempt('14:00:01', 'host-a'), peakMemory: 48_234_496 },
        { ...failedAttempt('14:01:56', 'host-b'), peakMemory: 47_185_920 },
      ],
    },
  ],
  'acme warehouse': [
    {
      start: at('14:00:00'),
      state: 'running',
      attempts: [runningSince('14:00:08', 'host-a', { output: output.running })],
    },
  ],
  'acme thumbnails': [
    {
      start: at('14:00:00'),
      state: 'running',
      attempts: [runningSince('14:03:12', 'host-b', { progress: 28, message: 'rendering p. 12' })],
    },
  ],
  'globex bank': [{ start: at('13:40:00'), state: 'running', attempts: [runningSince('13:46:10', 'host-a')] }],
  'globex prices': [
    {
      start: at('13:30:00'),
      state: 'missed',
      reason: 'no attempt was started by the start deadline, 2026-11-23T12:45:00Z',
      attempts: [],
    },
  ],
};

function failedAttempt(start: string, host: string) {
  const startedAt = measured(start);
  const ended = { startedAt, finishedAt: startedAt + 5 * second, exitCode: 75, reason: 'exit code 75' };
  return { ...ended, host, output: output.failed };
}

function runningSince(start: string, host: string, more: object = {}) {
  return { startedAt: measured(start), finishedAt: null, host, ...more };
}

/** @returns the ids of the Tasks of the template of the pictures that are scripted. */
async function addRuns(service: StoppedService, { templates: ids, companies: owners, apps: programs }: Records) {
  const store = await service.host.get(serviceIds.store);
  let shown: readonly number[] = [];
  for (const template of templates) {
    const key = `${template.company} ${template.code}`;
    const id = required(ids.get(key), key);
    const owner = {
      id,
      companyId: required(owners.get(template.company), key),
      appId: required(programs.get(template.app), key),
    };
    const runs = await addPastRuns(store, template, owner, { midnight, now, scripted: scripted[key] ?? [] });
    if (key === 'acme invoices') shown = runs;
  }
  return shown;
}

/** Adds the hosts that run the jobs, which have the keys of the service. */
async function addHosts({ host: opened }: StoppedService): Promise<void> {
  const [store, vault] = [await opened.get(serviceIds.store), await opened.get(serviceIds.vault)];
  const leases = ['host-a', 'host-b'].map((host) =>
    newRow(WorkerLease, {
      name: workerOf(host),
      host,
      pid: 4711,
      started_at: now - 9 * day,
      lease_until: now + day,
      capacity: 8,
      executors: 'native,external,http',
      vault_keys: [...vault.fingerprints].join(),
    }),
  );
  await store.transaction((tables) => tables.of(WorkerLease).insert(leases));
}

/** Adds what the end of jobs caused, and who was notified of it. */
async function addMessages({ host }: StoppedService, records: Records, failedRun: number): Promise<void> {
  const store = await host.get(serviceIds.store);
  const owner = { company_id: required(records.companies.get('acme'), 'company') };
  const runtemplate_id = required(records.templates.get('acme invoices'), 'template');
  const followed = required(records.templates.get('acme statements'), 'template');
  await store.transaction(async (tables) => {
    const successes = await tables.of(Task).find({
      where: [
        ['runtemplate_id', '=', runtemplate_id],
        ['window_start', '>=', midnight],
        ['state', '=', 'fulfilled'],
      ],
      order: [['window_start', 'asc']],
    });
    const ended = await tables
      .of(Job)
      .find({ where: [['task_id', 'in', successes.map(({ id }) => id)]], order: [['id', 'asc']] });
    const events: Partial<EventRow>[] = ended.map((job) => ({
      ...owner,
      ...{ kind: 'job', event: 'succeeded', runtemplate_id, job_id: job.id, task_id: job.task_id, state: 'done' },
      ...{ attempts: 1, created_at: required(job.finished_at, 'end'), updated_at: required(job.finished_at, 'end') },
    }));
    const orders = ['09:12:41', '10:47:03', '13:20:55'].map(
      (time, index): Partial<EventRow> => ({
        ...owner,
        ...{ kind: 'source', event_source_id: records.source, key: `${48_201 + index}`, evidence: 'order' },
        ...{
          operation: 'create',
          record_id: `${9_120 + index}`,
          state: index === 2 ? 'set_aside' : 'done',
          attempts: 1,
        },
        ...{
          created_at: measured(time),
          updated_at: measured(time),
          reason: index === 2 ? 'the order names no customer' : 'no rule matches it',
        },
      }),
    );
    const failure: Partial<EventRow> = {
      ...owner,
      ...{ kind: 'task', event: 'task_failed', runtemplate_id, task_id: failedRun, state: 'done', attempts: 1 },
      ...{ created_at: measured('14:02:01'), updated_at: measured('14:02:01'), reason: 'no rule matches it' },
    };
    const rows = [...events, ...orders, failure].sort(
      (a, b) => required(a.created_at, 'time') - required(b.created_at, 'time'),
    );
    const ids = (await tables.of(Event).insert(rows.map((row) => newRow(Event, row)))) as number[];
    const app = required(records.apps.get(caused.app), 'app');
    await tables.of(Job).insert(
      ended.map((job) => {
        const start = required(job.finished_at, 'end') + second;
        const times = { scheduled_at: start, started_at: start, finished_at: start + 8 * second, created_at: start };
        const event_id = required(ids[rows.findIndex(({ job_id }) => job_id === job.id)], 'event');
        const of = { ...owner, runtemplate_id: followed, app_id: app, event_id, worker: workerOf('host-b') };
        return newRow(Job, { ...of, ...times, updated_at: start, state: 'succeeded', trigger: 'chain', exit_code: 0 });
      }),
    );
    await tables.of(Delivery).insert(deliveries(records, failedRun).map((row) => newRow(Delivery, row)));
  });
}

function deliveries({ companies: owners, templates: ids }: Records, failedRun: number): Partial<DeliveryRow>[] {
  const delivery = (event: ActionEvent, company: string, code: string, time: string, more: Partial<DeliveryRow>) => ({
    ...{ action: 'webhook', endpoint: `https://hooks.${company}.example`, event, owner: 'runtemplate' as const },
    company_id: required(owners.get(company), company),
    runtemplate_id: required(ids.get(`${company} ${code}`), code),
    ...{
      created_at: measured(time),
      message_id: `6f1b2f0e-3a5d-4c5b-9a57-${time.replaceAll(':', '').padStart(12, '0')}`,
    },
    ...more,
  });
  const arrived = (time: string) =>
    ({ state: 'delivered', attempts: 1, delivered_at: measured(time), status: 200 }) as const;
  const error = 'hooks.globex.example answered 503 Service Unavailable';
  return [
    delivery('on_missed', 'globex', 'prices', '09:45:00', arrived('09:45:01')),
    delivery('on_missed', 'globex', 'prices', '13:45:00', {
      state: 'pending',
      attempts: 4,
      status: 503,
      error,
      next_at: at('14:09:00'),
    }),
    delivery('on_failure', 'acme', 'invoices', '14:02:01', { ...arrived('14:02:02'), task_id: failedRun }),
  ];
}

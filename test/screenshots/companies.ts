import type { ActionLists, RunTemplateInput } from '@horarium/core';

const minute = 60_000;
const second = 1000;

/** What a company has run so far, and runs now. Its windows are `every` minutes long, the first `at` minutes after midnight. */
export interface PastTemplate {
  readonly code: string;
  readonly name: string;
  readonly company: string;
  readonly app: string;
  readonly cron: string;
  /** The length of a window, in minutes. */
  readonly every: number;
  /** Minutes after midnight, on a Monday where a window is a week long. */
  readonly at: number;
  /** The usual duration of an attempt, in milliseconds. */
  readonly usually: number;
  /** The deadline, in milliseconds from the start of the window. @default its end */
  readonly within?: number;
  readonly fields?: Omit<RunTemplateInput, 'code' | 'name' | 'app_id' | 'company_id' | 'interval'>;
  /** Of a thousand runs that many were late, failed or were missed. @default none */
  readonly bad?: Readonly<Partial<Record<'fulfilled_late' | 'failed' | 'missed', number>>>;
}

export const companies = [
  { code: 'acme', name: 'Acme' },
  { code: 'globex', name: 'Globex' },
] as const;

/** The apps by their codes: the name, the version, and what declares variables. */
export const apps = {
  backup: { name: 'PostgreSQL backup', version: '17.2', executable: '/usr/bin/pg_dump' },
  invoices: { name: 'Invoices', version: '2.4.0', executable: '/opt/invoices/export' },
  warehouse: { name: 'Warehouse sync', version: '1.9.3', executable: '/opt/warehouse/sync' },
  rates: { name: 'Exchange rates', version: '1.1.0', executable: '/opt/rates/fetch' },
  images: { name: 'Thumbnails', version: '3.0.2', executable: '/opt/images/render' },
  mail: { name: 'Mailing', version: '5.2.0', executable: '/opt/mail/send' },
  prices: { name: 'Price list', version: '2.0.1', executable: '/opt/prices/export' },
  bank: { name: 'Bank statements', version: '4.7.0', executable: '/opt/bank/read' },
  ledger: { name: 'Ledger', version: '8.1.0', executable: '/opt/ledger/close' },
  rotate: { name: 'Log rotation', version: '3.21', executable: '/usr/sbin/logrotate' },
  certificates: { name: 'Certificate check', version: '1.4.0', executable: '/usr/bin/openssl' },
} as const;

const tell: Partial<ActionLists> = {
  on_failure: [{ id: 'hooks', action: 'webhook', url: 'https://hooks.acme.example/horarium' }],
  on_missed: [{ id: 'hooks', action: 'webhook', url: 'https://hooks.acme.example/horarium' }],
};

export const templates: readonly PastTemplate[] = [
  {
    code: 'backup',
    name: 'Nightly backup',
    company: 'acme',
    app: 'backup',
    cron: '5 2 * * *',
    every: 1440,
    at: 125,
    usually: 18 * minute,
    within: 90 * minute,
    fields: { deadline: '+90m', timeout: 7200 },
  },
  {
    code: 'invoices',
    name: 'Invoices to ERP',
    company: 'acme',
    app: 'invoices',
    cron: '0 */2 * * *',
    every: 120,
    at: 0,
    usually: 41 * second,
    within: 30 * minute,
    fields: {
      deadline: '+30m',
      max_attempts: 2,
      retry_backoff: 'fixed',
      retry_delay: 110,
      environment: { TIMEOUT: '30', ERP_HOST: 'erp.acme.example' },
      ...tell,
    },
    bad: { fulfilled_late: 6 },
  },
  {
    code: 'warehouse',
    name: 'Warehouse sync',
    company: 'acme',
    app: 'warehouse',
    cron: '0 * * * *',
    every: 60,
    at: 0,
    usually: 5 * minute,
    within: 45 * minute,
    fields: { deadline: '+45m' },
    bad: { fulfilled_late: 3 },
  },
  {
    code: 'rates',
    name: 'Exchange rates',
    company: 'acme',
    app: 'rates',
    cron: '*/15 * * * *',
    every: 15,
    at: 0,
    usually: 3 * second,
  },
  {
    code: 'thumbnails',
    name: 'Thumbnails',
    company: 'acme',
    app: 'images',
    cron: '*/30 * * * *',
    every: 30,
    at: 0,
    usually: 4 * minute,
    within: 20 * minute,
    fields: { deadline: '+20m', allow_late: true },
    bad: { fulfilled_late: 9, failed: 2 },
  },
  {
    code: 'newsletter',
    name: 'Newsletter',
    company: 'acme',
    app: 'mail',
    cron: '0 */2 * * *',
    every: 120,
    at: 0,
    usually: 95 * second,
    within: 60 * minute,
    fields: { deadline: '+60m' },
  },
  {
    code: 'prices',
    name: 'Price list',
    company: 'globex',
    app: 'prices',
    cron: '30 * * * *',
    every: 60,
    at: 30,
    usually: 70 * second,
    within: 15 * minute,
    fields: { deadline: '+15m', ...tell },
    bad: { missed: 12, failed: 4 },
  },
  {
    code: 'bank',
    name: 'Bank statements',
    company: 'globex',
    app: 'bank',
    cron: '40 * * * *',
    every: 60,
    at: 40,
    usually: 26 * minute,
    within: 30 * minute,
    fields: { deadline: '+30m', allow_late: true },
    bad: { fulfilled_late: 14 },
  },
  {
    code: 'rates',
    name: 'Exchange rates',
    company: 'globex',
    app: 'rates',
    cron: '*/15 * * * *',
    every: 15,
    at: 0,
    usually: 3 * second,
  },
  {
    code: 'rotation',
    name: 'Log rotation',
    company: 'globex',
    app: 'rotate',
    cron: '50 * * * *',
    every: 60,
    at: 50,
    usually: 12 * second,
    within: 10 * minute,
    fields: { deadline: '+10m' },
  },
  {
    code: 'certificates',
    name: 'Certificate check',
    company: 'globex',
    app: 'certificates',
    cron: '0 6 * * *',
    every: 1440,
    at: 360,
    usually: 20 * second,
    within: 360 * minute,
    fields: { deadline: '12:00' },
  },
  {
    code: 'tax',
    name: 'Report to the tax office',
    company: 'globex',
    app: 'ledger',
    cron: '0 7 * * 1',
    every: 7 * 1440,
    at: 420,
    usually: 25 * minute,
    within: 720 * minute,
    fields: { deadline: '19:00' },
  },
];

/** The template that a success of Invoices to ERP causes. */
export const caused = { code: 'statements', name: 'Statements by mail', company: 'acme', app: 'mail' } as const;

import { type AddedFields, defineFields, integer, type PluginFields, RunTemplate, text } from '@horarium/core/plugin';

/** The line of a crontab from which a run template comes. */
export const CrontabSource = defineFields(RunTemplate, {
  name: 'CrontabSource',
  fields: {
    crontab: text(1024, {
      readOnly: true,
      indexed: true,
      description: 'The crontab that it comes from, with its machine: web1:/etc/cron.d/php; null = it comes from none.',
    }),
    crontab_line: integer({
      readOnly: true,
      unaudited: true,
      description:
        'The number of its line when the crontab was read last; null = the crontab does not hold it any more.',
    }),
    at_boot: text(253, {
      readOnly: true,
      description: 'The machine after whose boots it runs once, as its crontab says by @reboot; null = after none.',
    }),
    /** The boot that it has run after. */
    boot_id: text(64, { hidden: true, unaudited: true }),
    /** A digest of the line, which identifies it when the crontab is read again. */
    crontab_content: text(32, { hidden: true, unaudited: true }),
    /** The time zone of the lines of the crontab without `CRON_TZ`, when it was read last. */
    crontab_timezone: text(64, { hidden: true, unaudited: true }),
  },
});

export type CrontabSourceRow = typeof CrontabSource extends AddedFields<infer R> ? R : never;

/** Its table. */
export const crontabFields: readonly PluginFields[] = [
  {
    fields: CrontabSource,
    migrations: [
      {
        name: '20261128-crontab-source',
        sqlite: [
          `create table horarium_crontab_source (
             id integer not null primary key autoincrement,
             record_id integer not null,
             crontab text null,
             crontab_line integer null,
             at_boot text null,
             boot_id text null,
             crontab_content text null
           )`,
          'create unique index horarium_crontab_source_record_id_unique on horarium_crontab_source (record_id)',
          'create index horarium_crontab_source_crontab_index on horarium_crontab_source (crontab)',
        ],
        postgresql: [
          `create table horarium_crontab_source (
             id bigserial primary key,
             record_id bigint not null,
             crontab text collate "C" null,
             crontab_line bigint null,
             at_boot text collate "C" null,
             boot_id text collate "C" null,
             crontab_content text collate "C" null,
             constraint horarium_crontab_source_record_id_unique unique (record_id)
           )`,
          'create index horarium_crontab_source_crontab_index on horarium_crontab_source (crontab)',
        ],
      },
      {
        name: '20261129-crontab-timezone',
        sqlite: ['alter table horarium_crontab_source add column crontab_timezone text null'],
        postgresql: ['alter table horarium_crontab_source add column crontab_timezone text collate "C" null'],
      },
    ],
  },
];

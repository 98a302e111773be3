import { defineFields, instant, Job, type PluginFields, RunTemplate, text } from '@horarium/core/plugin';

/** The address at which programs elsewhere report for a run template. */
export const PingAddress = defineFields(RunTemplate, {
  name: 'PingAddress',
  fields: {
    pings_since: instant({
      readOnly: true,
      description: 'When it got its ping address, at which programs elsewhere report; null = it has none.',
    }),
    /** The SHA-256 of the secret in that address. */
    ping_hash: text(64, { unique: true, hidden: true }),
  },
});

/** What a program that pings calls its run, so that the ping of its end finds the job. */
export const PingRun = defineFields(Job, {
  name: 'PingRun',
  fields: { run_id: text(36, { hidden: true }).required() },
});

/** Both tables with their migrations. A store of a version that kept addresses and runs in its own tables has them already. */
export const pingFields: readonly PluginFields[] = [
  {
    fields: PingAddress,
    migrations: [
      {
        name: '20261126-ping-address',
        sqlite: [
          `create table if not exists horarium_ping_address (
             id integer not null primary key autoincrement,
             record_id integer not null,
             pings_since integer null,
             ping_hash text null
           )`,
          'create unique index if not exists horarium_ping_address_record_id_unique on horarium_ping_address (record_id)',
          'create unique index if not exists horarium_ping_address_ping_hash_unique on horarium_ping_address (ping_hash)',
        ],
        postgresql: [
          `create table if not exists horarium_ping_address (
             id bigserial primary key,
             record_id bigint not null,
             pings_since timestamptz(3) null,
             ping_hash text collate "C" null,
             constraint horarium_ping_address_record_id_unique unique (record_id),
             constraint horarium_ping_address_ping_hash_unique unique (ping_hash)
           )`,
        ],
      },
    ],
  },
  {
    fields: PingRun,
    migrations: [
      {
        name: '20261126-ping-run',
        sqlite: [
          `create table if not exists horarium_ping_run (
             id integer not null primary key autoincrement,
             record_id integer not null,
             run_id text not null
           )`,
          'create unique index if not exists horarium_ping_run_record_id_unique on horarium_ping_run (record_id)',
        ],
        postgresql: [
          `create table if not exists horarium_ping_run (
             id bigserial primary key,
             record_id bigint not null,
             run_id text collate "C" not null,
             constraint horarium_ping_run_record_id_unique unique (record_id)
           )`,
        ],
      },
    ],
  },
];

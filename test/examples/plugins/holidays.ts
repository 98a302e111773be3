import { definePlugin } from '@horarium/core/plugin';
import { Holiday } from '../resources/holiday.ts';

/** Brings records of the days on which companies do not work, with their table. */
export default definePlugin({
  name: 'holidays',
  api: 1,
  resources: [
    {
      resource: Holiday,
      migrations: [
        {
          name: '20261126-holiday',
          sqlite: [
            `create table horarium_holiday (
               id integer not null primary key autoincrement,
               revision integer not null default 1,
               created_at integer not null,
               updated_at integer not null,
               company_id integer not null,
               name text not null,
               "on" integer not null,
               kind text not null default 'own',
               constraint horarium_holiday_company_id_foreign foreign key (company_id)
                 references horarium_company (id) on update no action on delete restrict
             )`,
            'create index horarium_holiday_created_at_index on horarium_holiday (created_at)',
            'create index horarium_holiday_name_index on horarium_holiday (name)',
            'create unique index horarium_holiday_company_id_name_unique on horarium_holiday (company_id, name)',
          ],
          postgresql: [
            `create table horarium_holiday (
               id bigserial primary key,
               revision bigint not null default 1,
               created_at timestamptz(3) not null,
               updated_at timestamptz(3) not null,
               company_id bigint not null,
               name text collate "C" not null,
               "on" timestamptz(3) not null,
               kind text collate "C" not null default 'own',
               constraint horarium_holiday_company_id_name_unique unique (company_id, name),
               constraint horarium_holiday_company_id_foreign foreign key (company_id)
                 references horarium_company (id) on update no action on delete restrict
             )`,
            'create index horarium_holiday_created_at_index on horarium_holiday (created_at)',
            'create index horarium_holiday_name_index on horarium_holiday (name)',
          ],
        },
      ],
    },
  ],
});

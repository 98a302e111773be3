import { Migration } from '@mikro-orm/migrations';

export class Migration20261128083032_maintenance_windows extends Migration {
  override name = 'Migration20261128083032_maintenance_windows';

  override up(): void {
    this.addSql(
      `create table "horarium_maintenance_window" ("id" bigserial primary key, "revision" bigint not null default 1, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "code" text collate "C" null, "name" text collate "C" not null, "runtemplate_id" bigint null, "company_id" bigint null, "active" boolean not null default true, "calendar_id" bigint not null, "start_time" text collate "C" not null default '00:00', "end_time" text collate "C" not null default '00:00', "timezone" text collate "C" not null default 'UTC', "catch_up" text collate "C" not null default 'none', "next_starts_at" timestamptz(3) null, "next_until" timestamptz(3) null, "problem" text collate "C" null);`,
    );
    this.addSql(
      `create index "horarium_maintenance_window_created_at_index" on "horarium_maintenance_window" ("created_at");`,
    );
    this.addSql(
      `create index "horarium_maintenance_window_runtemplate_id_present_index" on "horarium_maintenance_window" ("runtemplate_id") where "runtemplate_id" is not null;`,
    );
    this.addSql(
      `create index "horarium_maintenance_window_calendar_id_index" on "horarium_maintenance_window" ("calendar_id");`,
    );
    this.addSql(
      `create index "horarium_maintenance_window_next_starts_at_index" on "horarium_maintenance_window" ("next_starts_at");`,
    );
    this.addSql(`create index "horarium_maintenance_window_name_index" on "horarium_maintenance_window" ("name");`);
    this.addSql(`create index "horarium_maintenance_window_code_index" on "horarium_maintenance_window" ("code");`);
    this.addSql(
      `alter table "horarium_maintenance_window" add constraint "horarium_maintenance_window_company_id_code_unique" unique ("company_id", "code");`,
    );
    this.addSql(`alter table "horarium_pause" add "maintenance_window_id" bigint null;`);
    this.addSql(
      `alter table "horarium_pause" add constraint "horarium_pause_maintenance_window_id_foreign" foreign key ("maintenance_window_id") references "horarium_maintenance_window" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `create index "horarium_pause_maintenance_window_id_present_index" on "horarium_pause" ("maintenance_window_id") where "maintenance_window_id" is not null;`,
    );
    this.addSql(
      `alter table "horarium_maintenance_window" add constraint "horarium_maintenance_window_runtemplate_id_foreign" foreign key ("runtemplate_id") references "horarium_run_template" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_maintenance_window" add constraint "horarium_maintenance_window_company_id_foreign" foreign key ("company_id") references "horarium_company" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_maintenance_window" add constraint "horarium_maintenance_window_calendar_id_foreign" foreign key ("calendar_id") references "horarium_calendar" ("id") on update no action on delete restrict;`,
    );
  }
}

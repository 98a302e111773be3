import { Migration } from '@mikro-orm/migrations';

export class Migration20261127190616_pause extends Migration {
  override name = 'Migration20261127190616_pause';

  override up(): void {
    this.addSql(
      `create table "horarium_pause" ("id" bigserial primary key, "revision" bigint not null default 1, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "runtemplate_id" bigint null, "company_id" bigint null, "starts_at" timestamptz(3) null, "until" timestamptz(3) null, "reason" text collate "C" not null, "catch_up" text collate "C" not null default 'none', "paused_by" text collate "C" null, "ended_at" timestamptz(3) null, "released_at" timestamptz(3) null);`,
    );
    this.addSql(`create index "horarium_pause_created_at_index" on "horarium_pause" ("created_at");`);
    this.addSql(
      `create index "horarium_pause_runtemplate_id_present_index" on "horarium_pause" ("runtemplate_id") where "runtemplate_id" is not null;`,
    );
    this.addSql(
      `create index "horarium_pause_company_id_present_index" on "horarium_pause" ("company_id") where "company_id" is not null;`,
    );
    this.addSql(`create index "horarium_pause_starts_at_index" on "horarium_pause" ("starts_at");`);
    this.addSql(`create index "horarium_pause_released_at_index" on "horarium_pause" ("released_at");`);
    this.addSql(
      `alter table "horarium_pause" add constraint "horarium_pause_runtemplate_id_foreign" foreign key ("runtemplate_id") references "horarium_run_template" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_pause" add constraint "horarium_pause_company_id_foreign" foreign key ("company_id") references "horarium_company" ("id") on update no action on delete restrict;`,
    );
  }
}

import { Migration } from '@mikro-orm/migrations';

export class Migration20261128051710_calendars extends Migration {
  override name = 'Migration20261128051710_calendars';

  override up(): void {
    this.addSql(
      `create table "horarium_calendar" ("id" bigserial primary key, "revision" bigint not null default 1, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "code" text collate "C" null, "name" text collate "C" not null, "company_id" bigint null, "weekdays" json not null default '[]', "dates" json not null default '[]', "working_dates" json not null default '[]', "rules" json not null default '[]', "note" text collate "C" null);`,
    );
    this.addSql(`create index "horarium_calendar_created_at_index" on "horarium_calendar" ("created_at");`);
    this.addSql(`create index "horarium_calendar_name_index" on "horarium_calendar" ("name");`);
    this.addSql(`create index "horarium_calendar_code_index" on "horarium_calendar" ("code");`);
    this.addSql(
      `alter table "horarium_calendar" add constraint "horarium_calendar_company_id_code_unique" unique ("company_id", "code");`,
    );
    this.addSql(
      `alter table "horarium_run_template" add "calendar_id" bigint null, add "day_off" text collate "C" not null default 'skip';`,
    );
    this.addSql(
      `alter table "horarium_run_template" add constraint "horarium_run_template_calendar_id_foreign" foreign key ("calendar_id") references "horarium_calendar" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `create index "horarium_run_template_calendar_id_present_index" on "horarium_run_template" ("calendar_id") where "calendar_id" is not null;`,
    );
    this.addSql(
      `alter table "horarium_calendar" add constraint "horarium_calendar_company_id_foreign" foreign key ("company_id") references "horarium_company" ("id") on update no action on delete restrict;`,
    );
  }
}

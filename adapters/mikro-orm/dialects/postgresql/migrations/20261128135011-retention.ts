import { Migration } from '@mikro-orm/migrations';

export class Migration20261128135011_retention extends Migration {
  override name = 'Migration20261128135011_retention';

  override up(): void {
    this.addSql(
      `create table "horarium_task_total" ("id" bigserial primary key, "runtemplate_id" bigint not null, "company_id" bigint not null, "window_day" timestamptz(3) not null, "end_day" timestamptz(3) not null, "fulfilled" bigint not null default 0, "fulfilled_late" bigint not null default 0, "failed" bigint not null default 0, "missed" bigint not null default 0, "cancelled" bigint not null default 0);`,
    );
    this.addSql(
      `create index "horarium_task_total_end_day_company_id_index" on "horarium_task_total" ("end_day", "company_id");`,
    );
    this.addSql(
      `create index "horarium_task_total_window_day_company_id_index" on "horarium_task_total" ("window_day", "company_id");`,
    );
    this.addSql(
      `create index "horarium_task_total_company_id_end_day_index" on "horarium_task_total" ("company_id", "end_day");`,
    );
    this.addSql(
      `alter table "horarium_task_total" add constraint "horarium_task_total_runtemplate_id_window_day_end_day_unique" unique ("runtemplate_id", "window_day", "end_day");`,
    );
    this.addSql(
      `alter table "horarium_company" add "keep_days" bigint null, add "keep_files_days" bigint null, add "keep_last" bigint null;`,
    );
    this.addSql(
      `alter table "horarium_run_template" add "keep_days" bigint null, add "keep_files_days" bigint null, add "keep_last" bigint null;`,
    );
    this.addSql(`alter table "horarium_job" add "output_deleted_at" timestamptz(3) null;`);
    this.addSql(
      `alter table "horarium_task_total" add constraint "horarium_task_total_runtemplate_id_foreign" foreign key ("runtemplate_id") references "horarium_run_template" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_task_total" add constraint "horarium_task_total_company_id_foreign" foreign key ("company_id") references "horarium_company" ("id") on update no action on delete restrict;`,
    );
  }
}

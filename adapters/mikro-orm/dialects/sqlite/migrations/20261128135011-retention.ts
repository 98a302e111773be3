import { Migration } from '@mikro-orm/migrations';

export class Migration20261128135011_retention extends Migration {
  override name = 'Migration20261128135011_retention';

  override up(): void {
    this.addSql(
      `create table \`horarium_task_total\` (\`id\` integer not null primary key autoincrement, \`runtemplate_id\` integer not null, \`company_id\` integer not null, \`window_day\` integer not null, \`end_day\` integer not null, \`fulfilled\` integer not null default 0, \`fulfilled_late\` integer not null default 0, \`failed\` integer not null default 0, \`missed\` integer not null default 0, \`cancelled\` integer not null default 0, constraint \`horarium_task_total_runtemplate_id_foreign\` foreign key (\`runtemplate_id\`) references \`horarium_run_template\` (\`id\`) on update no action on delete restrict, constraint \`horarium_task_total_company_id_foreign\` foreign key (\`company_id\`) references \`horarium_company\` (\`id\`) on update no action on delete restrict);`,
    );
    this.addSql(
      `create index \`horarium_task_total_end_day_company_id_index\` on \`horarium_task_total\` (\`end_day\`, \`company_id\`);`,
    );
    this.addSql(
      `create index \`horarium_task_total_window_day_company_id_index\` on \`horarium_task_total\` (\`window_day\`, \`company_id\`);`,
    );
    this.addSql(
      `create index \`horarium_task_total_company_id_end_day_index\` on \`horarium_task_total\` (\`company_id\`, \`end_day\`);`,
    );
    this.addSql(
      `create unique index \`horarium_task_total_runtemplate_id_window_day_end_day_unique\` on \`horarium_task_total\` (\`runtemplate_id\`, \`window_day\`, \`end_day\`);`,
    );
    this.addSql(`alter table \`horarium_company\` add column \`keep_days\` integer null;`);
    this.addSql(`alter table \`horarium_company\` add column \`keep_files_days\` integer null;`);
    this.addSql(`alter table \`horarium_company\` add column \`keep_last\` integer null;`);
    this.addSql(`alter table \`horarium_run_template\` add column \`keep_days\` integer null;`);
    this.addSql(`alter table \`horarium_run_template\` add column \`keep_files_days\` integer null;`);
    this.addSql(`alter table \`horarium_run_template\` add column \`keep_last\` integer null;`);
    this.addSql(`alter table \`horarium_job\` add column \`output_deleted_at\` integer null;`);
  }
}

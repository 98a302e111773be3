import { Migration } from '@mikro-orm/migrations';

export class Migration20261128083032_maintenance_windows extends Migration {
  override name = 'Migration20261128083032_maintenance_windows';

  override up(): void {
    this.addSql(
      `create table \`horarium_maintenance_window\` (\`id\` integer not null primary key autoincrement, \`revision\` integer not null default 1, \`created_at\` integer not null, \`updated_at\` integer not null, \`code\` text null, \`name\` text not null, \`runtemplate_id\` integer null, \`company_id\` integer null, \`active\` integer not null default 1, \`calendar_id\` integer not null, \`start_time\` text not null default '00:00', \`end_time\` text not null default '00:00', \`timezone\` text not null default 'UTC', \`catch_up\` text not null default 'none', \`next_starts_at\` integer null, \`next_until\` integer null, \`problem\` text null, constraint \`horarium_maintenance_window_runtemplate_id_foreign\` foreign key (\`runtemplate_id\`) references \`horarium_run_template\` (\`id\`) on update no action on delete restrict, constraint \`horarium_maintenance_window_company_id_foreign\` foreign key (\`company_id\`) references \`horarium_company\` (\`id\`) on update no action on delete restrict, constraint \`horarium_maintenance_window_calendar_id_foreign\` foreign key (\`calendar_id\`) references \`horarium_calendar\` (\`id\`) on update no action on delete restrict);`,
    );
    this.addSql(
      `create index \`horarium_maintenance_window_created_at_index\` on \`horarium_maintenance_window\` (\`created_at\`);`,
    );
    this.addSql(
      `create index \`horarium_maintenance_window_runtemplate_id_present_index\` on \`horarium_maintenance_window\` (\`runtemplate_id\`) where "runtemplate_id" is not null;`,
    );
    this.addSql(
      `create index \`horarium_maintenance_window_calendar_id_index\` on \`horarium_maintenance_window\` (\`calendar_id\`);`,
    );
    this.addSql(
      `create index \`horarium_maintenance_window_next_starts_at_index\` on \`horarium_maintenance_window\` (\`next_starts_at\`);`,
    );
    this.addSql(
      `create index \`horarium_maintenance_window_name_index\` on \`horarium_maintenance_window\` (\`name\`);`,
    );
    this.addSql(
      `create index \`horarium_maintenance_window_code_index\` on \`horarium_maintenance_window\` (\`code\`);`,
    );
    this.addSql(
      `create unique index \`horarium_maintenance_window_company_id_code_unique\` on \`horarium_maintenance_window\` (\`company_id\`, \`code\`);`,
    );
    this.addSql(
      `alter table \`horarium_pause\` add column \`maintenance_window_id\` integer null constraint \`horarium_pause_maintenance_window_id_foreign\` references \`horarium_maintenance_window\` (\`id\`) on update no action on delete restrict;`,
    );
    this.addSql(
      `create index \`horarium_pause_maintenance_window_id_present_index\` on \`horarium_pause\` (\`maintenance_window_id\`) where "maintenance_window_id" is not null;`,
    );
  }
}

import { Migration } from '@mikro-orm/migrations';

export class Migration20261128051710_calendars extends Migration {
  override name = 'Migration20261128051710_calendars';

  override up(): void {
    this.addSql(
      `create table \`horarium_calendar\` (\`id\` integer not null primary key autoincrement, \`revision\` integer not null default 1, \`created_at\` integer not null, \`updated_at\` integer not null, \`code\` text null, \`name\` text not null, \`company_id\` integer null, \`weekdays\` text not null default '[]', \`dates\` text not null default '[]', \`working_dates\` text not null default '[]', \`rules\` text not null default '[]', \`note\` text null, constraint \`horarium_calendar_company_id_foreign\` foreign key (\`company_id\`) references \`horarium_company\` (\`id\`) on update no action on delete restrict);`,
    );
    this.addSql(`create index \`horarium_calendar_created_at_index\` on \`horarium_calendar\` (\`created_at\`);`);
    this.addSql(`create index \`horarium_calendar_name_index\` on \`horarium_calendar\` (\`name\`);`);
    this.addSql(`create index \`horarium_calendar_code_index\` on \`horarium_calendar\` (\`code\`);`);
    this.addSql(
      `create unique index \`horarium_calendar_company_id_code_unique\` on \`horarium_calendar\` (\`company_id\`, \`code\`);`,
    );
    this.addSql(
      `alter table \`horarium_run_template\` add column \`calendar_id\` integer null constraint \`horarium_run_template_calendar_id_foreign\` references \`horarium_calendar\` (\`id\`) on update no action on delete restrict;`,
    );
    this.addSql(`alter table \`horarium_run_template\` add column \`day_off\` text not null default 'skip';`);
    this.addSql(
      `create index \`horarium_run_template_calendar_id_present_index\` on \`horarium_run_template\` (\`calendar_id\`) where "calendar_id" is not null;`,
    );
  }
}

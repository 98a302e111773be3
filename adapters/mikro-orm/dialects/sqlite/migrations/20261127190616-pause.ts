import { Migration } from '@mikro-orm/migrations';

export class Migration20261127190616_pause extends Migration {
  override name = 'Migration20261127190616_pause';

  override up(): void {
    this.addSql(
      `create table \`horarium_pause\` (\`id\` integer not null primary key autoincrement, \`revision\` integer not null default 1, \`created_at\` integer not null, \`updated_at\` integer not null, \`runtemplate_id\` integer null, \`company_id\` integer null, \`starts_at\` integer null, \`until\` integer null, \`reason\` text not null, \`catch_up\` text not null default 'none', \`paused_by\` text null, \`ended_at\` integer null, \`released_at\` integer null, constraint \`horarium_pause_runtemplate_id_foreign\` foreign key (\`runtemplate_id\`) references \`horarium_run_template\` (\`id\`) on update no action on delete restrict, constraint \`horarium_pause_company_id_foreign\` foreign key (\`company_id\`) references \`horarium_company\` (\`id\`) on update no action on delete restrict);`,
    );
    this.addSql(`create index \`horarium_pause_created_at_index\` on \`horarium_pause\` (\`created_at\`);`);
    this.addSql(
      `create index \`horarium_pause_runtemplate_id_present_index\` on \`horarium_pause\` (\`runtemplate_id\`) where "runtemplate_id" is not null;`,
    );
    this.addSql(
      `create index \`horarium_pause_company_id_present_index\` on \`horarium_pause\` (\`company_id\`) where "company_id" is not null;`,
    );
    this.addSql(`create index \`horarium_pause_starts_at_index\` on \`horarium_pause\` (\`starts_at\`);`);
    this.addSql(`create index \`horarium_pause_released_at_index\` on \`horarium_pause\` (\`released_at\`);`);
  }
}

import { Migration } from '@mikro-orm/migrations';

export class Migration20261121224017_external_leases extends Migration {
  override name = 'Migration20261121224017_external_leases';

  override up(): void {
    this.addSql(
      `create table \`external_lease\` (\`id\` integer not null primary key autoincrement, \`job_id\` integer not null, \`patience\` integer null, \`timeout_at\` integer null, \`ends_at\` integer null, \`output_size\` integer not null, constraint \`external_lease_job_id_foreign\` foreign key (\`job_id\`) references \`job\` (\`id\`) on update no action on delete restrict);`,
    );
    this.addSql(`create index \`external_lease_ends_at_index\` on \`external_lease\` (\`ends_at\`);`);
    this.addSql(`create unique index \`external_lease_job_id_unique\` on \`external_lease\` (\`job_id\`);`);
  }
}

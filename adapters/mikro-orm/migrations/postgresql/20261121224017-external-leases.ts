import { Migration } from '@mikro-orm/migrations';

export class Migration20261121224017_external_leases extends Migration {
  override name = 'Migration20261121224017_external_leases';

  override up(): void {
    this.addSql(
      `create table "external_lease" ("id" bigserial primary key, "job_id" bigint not null, "patience" bigint null, "timeout_at" timestamptz(3) null, "ends_at" timestamptz(3) null, "output_size" bigint not null);`,
    );
    this.addSql(`create index "external_lease_ends_at_index" on "external_lease" ("ends_at");`);
    this.addSql(`alter table "external_lease" add constraint "external_lease_job_id_unique" unique ("job_id");`);
    this.addSql(
      `alter table "external_lease" add constraint "external_lease_job_id_foreign" foreign key ("job_id") references "job" ("id") on update no action on delete restrict;`,
    );
  }
}

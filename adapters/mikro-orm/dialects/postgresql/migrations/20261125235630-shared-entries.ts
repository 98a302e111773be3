import { Migration } from '@mikro-orm/migrations';

export class Migration20261125235630_shared_entries extends Migration {
  override name = 'Migration20261125235630_shared_entries';

  override up(): void {
    this.addSql(
      `create table "horarium_audit_span" ("id" bigserial primary key, "entry_id" bigint not null, "entity_type" text collate "C" not null, "first_id" bigint not null, "last_id" bigint not null);`,
    );
    this.addSql(
      `create index "horarium_audit_span_entity_type_first_id_index" on "horarium_audit_span" ("entity_type", "first_id");`,
    );
    this.addSql(
      `alter table "horarium_audit_span" add constraint "horarium_audit_span_entry_id_first_id_unique" unique ("entry_id", "first_id");`,
    );
  }
}

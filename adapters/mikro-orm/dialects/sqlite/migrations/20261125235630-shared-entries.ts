import { Migration } from '@mikro-orm/migrations';

export class Migration20261125235630_shared_entries extends Migration {
  override name = 'Migration20261125235630_shared_entries';

  override up(): void {
    this.addSql(
      `create table \`horarium_audit_span\` (\`id\` integer not null primary key autoincrement, \`entry_id\` integer not null, \`entity_type\` text not null, \`first_id\` integer not null, \`last_id\` integer not null);`,
    );
    this.addSql(
      `create index \`horarium_audit_span_entity_type_first_id_index\` on \`horarium_audit_span\` (\`entity_type\`, \`first_id\`);`,
    );
    this.addSql(
      `create unique index \`horarium_audit_span_entry_id_first_id_unique\` on \`horarium_audit_span\` (\`entry_id\`, \`first_id\`);`,
    );
  }
}

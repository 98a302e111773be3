import { Migration } from '@mikro-orm/migrations';

export class Migration20261128173739_audit_checkpoint extends Migration {
  override name = 'Migration20261128173739_audit_checkpoint';

  override up(): void {
    this.addSql(
      `create table \`horarium_audit_checkpoint\` (\`id\` integer not null primary key autoincrement, \`seq\` integer not null, \`hash\` text not null, \`mac\` text not null);`,
    );
    this.addSql(
      `create unique index \`horarium_audit_checkpoint_seq_unique\` on \`horarium_audit_checkpoint\` (\`seq\`);`,
    );
    this.addSql(
      `create trigger \`audit_checkpoint_moved_back\` BEFORE UPDATE on \`horarium_audit_checkpoint\` for each ROW begin select raise(abort, 'The checkpoint of the audit log refuses to move back.') where new.seq <= old.seq; end;`,
    );
    this.addSql(
      `create trigger \`audit_checkpoint_removed\` BEFORE DELETE on \`horarium_audit_checkpoint\` for each ROW begin select raise(abort, 'The checkpoint of the audit log refuses delete.') where old.seq is not null; end;`,
    );
    this.addSql(`drop trigger if exists \`horarium_audit_log_delete_of_sealed\`;`);
    this.addSql(
      `create trigger \`horarium_audit_log_delete_of_sealed\` BEFORE DELETE on \`horarium_audit_log\` for each ROW begin select raise(abort, 'A sealed entry of the audit log refuses delete.') where old.seq > coalesce((select max(seq) from horarium_audit_checkpoint), 0); end;`,
    );
  }
}

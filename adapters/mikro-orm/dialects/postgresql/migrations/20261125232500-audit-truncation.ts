import { Migration } from '@mikro-orm/migrations';

/**
 * Lets the audit log refuse truncation. Written by hand: PostgreSQL does not show MikroORM triggers of this event, so that it
 * would create one of an entity again and again.
 */
export class Migration20261125232500_audit_truncation extends Migration {
  override name = 'Migration20261125232500_audit_truncation';

  override up(): void {
    this.addSql(
      `create function "horarium_audit_log_truncation_fn"() returns trigger as $$ begin raise exception 'The audit log refuses truncation.' using errcode = 'restrict_violation'; end; $$ language plpgsql;`,
    );
    this.addSql(
      `create trigger "horarium_audit_log_truncation" before truncate on "horarium_audit_log" for each statement execute function "horarium_audit_log_truncation_fn"();`,
    );
  }
}

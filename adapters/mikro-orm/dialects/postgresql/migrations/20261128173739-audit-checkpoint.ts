import { Migration } from '@mikro-orm/migrations';

export class Migration20261128173739_audit_checkpoint extends Migration {
  override name = 'Migration20261128173739_audit_checkpoint';

  override up(): void {
    this.addSql(
      `create table "horarium_audit_checkpoint" ("id" bigserial primary key, "seq" bigint not null, "hash" text collate "C" not null, "mac" text collate "C" not null);`,
    );
    this.addSql(
      `alter table "horarium_audit_checkpoint" add constraint "horarium_audit_checkpoint_seq_unique" unique ("seq");`,
    );
    this.addSql(`drop trigger if exists "horarium_audit_log_delete_of_sealed" on "horarium_audit_log";`);
    this.addSql(`drop function if exists "horarium_audit_log_horarium_audit_log_delete_of_sealed_fn"();`);
    this.addSql(
      `create or replace function "horarium_audit_log_horarium_audit_log_delete_of_sealed_fn"() returns trigger as $$ begin if old.seq > coalesce((select max(seq) from horarium_audit_checkpoint), 0) then raise exception 'A sealed entry of the audit log refuses delete.' using errcode = 'restrict_violation'; end if; return coalesce(new, old); end; $$ language plpgsql;`,
    );
    this.addSql(
      `create trigger "horarium_audit_log_delete_of_sealed" BEFORE DELETE on "horarium_audit_log" for each ROW execute function "horarium_audit_log_horarium_audit_log_delete_of_sealed_fn"();`,
    );
    this.addSql(
      `create or replace function "horarium_audit_checkpoint_audit_checkpoint_moved_back_fn"() returns trigger as $$ begin if new.seq <= old.seq then raise exception 'The checkpoint of the audit log refuses to move back.' using errcode = 'restrict_violation'; end if; return coalesce(new, old); end; $$ language plpgsql;`,
    );
    this.addSql(
      `create trigger "audit_checkpoint_moved_back" BEFORE UPDATE on "horarium_audit_checkpoint" for each ROW execute function "horarium_audit_checkpoint_audit_checkpoint_moved_back_fn"();`,
    );
    this.addSql(
      `create or replace function "horarium_audit_checkpoint_audit_checkpoint_removed_fn"() returns trigger as $$ begin if old.seq is not null then raise exception 'The checkpoint of the audit log refuses delete.' using errcode = 'restrict_violation'; end if; return coalesce(new, old); end; $$ language plpgsql;`,
    );
    this.addSql(
      `create trigger "audit_checkpoint_removed" BEFORE DELETE on "horarium_audit_checkpoint" for each ROW execute function "horarium_audit_checkpoint_audit_checkpoint_removed_fn"();`,
    );
    // By hand: PostgreSQL does not show MikroORM triggers of this event.
    this.addSql(
      `create trigger "horarium_audit_checkpoint_truncation" before truncate on "horarium_audit_checkpoint" for each statement execute function "horarium_audit_log_truncation_fn"();`,
    );
  }
}

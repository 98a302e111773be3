import { Migration } from '@mikro-orm/migrations';

export class Migration20261122121947_initial extends Migration {
  override name = 'Migration20261122121947_initial';

  override up(): void {
    this.addSql(
      `create table "app" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "uuid" text collate "C" null, "code" text collate "C" null, "name" text collate "C" not null, "description" text collate "C" null, "version" text collate "C" null, "enabled" boolean not null, "executable" text collate "C" not null, "arguments" json not null, "stdin" text collate "C" null, "setup" text collate "C" null, "deploy" text collate "C" null, "homepage" text collate "C" null, "image" text collate "C" null, "oci_image" text collate "C" null, "helm_chart" text collate "C" null, "tags" json not null, "topics" json not null, "requirements" json not null, "environment" json not null, "exit_codes" json not null, "result_file" text collate "C" null, "artifacts" json not null, "produces" json not null, "consumes" json not null, "translations" json not null, "cipher_key" text collate "C" null, "extra" json not null);`,
    );
    this.addSql(`create index "app_created_at_index" on "app" ("created_at");`);
    this.addSql(`create index "app_name_index" on "app" ("name");`);
    this.addSql(`create index "app_enabled_index" on "app" ("enabled");`);
    this.addSql(`alter table "app" add constraint "app_uuid_unique" unique ("uuid");`);
    this.addSql(`alter table "app" add constraint "app_code_unique" unique ("code");`);
    this.addSql(
      `create table "audit_log" ("id" bigserial primary key, "created_at" timestamptz(3) not null, "user_id" bigint null, "channel" text collate "C" not null, "actor" text collate "C" not null, "action" text collate "C" not null, "entity_type" text collate "C" not null, "entity_id" bigint not null, "company_id" bigint null, "changes" json not null, "ip" text collate "C" null, "request_id" text collate "C" null, "seq" bigint null, "hash" text collate "C" null);`,
    );
    this.addSql(`create index "audit_log_created_at_index" on "audit_log" ("created_at");`);
    this.addSql(`create index "audit_log_user_id_index" on "audit_log" ("user_id");`);
    this.addSql(`create index "audit_log_action_index" on "audit_log" ("action");`);
    this.addSql(`create index "audit_log_company_id_index" on "audit_log" ("company_id");`);
    this.addSql(`create index "audit_log_entity_type_entity_id_index" on "audit_log" ("entity_type", "entity_id");`);
    this.addSql(`alter table "audit_log" add constraint "audit_log_seq_unique" unique ("seq");`);
    this.addSql(
      `create table "company" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "code" text collate "C" not null, "name" text collate "C" not null, "enabled" boolean not null, "registration_number" text collate "C" null, "email" text collate "C" null, "logo" text collate "C" null, "settings" json not null, "environment" json not null, "cipher_key" text collate "C" null);`,
    );
    this.addSql(`create index "company_created_at_index" on "company" ("created_at");`);
    this.addSql(`create index "company_name_index" on "company" ("name");`);
    this.addSql(`create index "company_enabled_index" on "company" ("enabled");`);
    this.addSql(`alter table "company" add constraint "company_code_unique" unique ("code");`);
    this.addSql(
      `create table "credential_type" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "uuid" text collate "C" null, "code" text collate "C" not null, "name" text collate "C" not null, "description" text collate "C" null, "url" text collate "C" null, "logo" text collate "C" null, "version" text collate "C" null, "cipher_key" text collate "C" null, "fields" json not null);`,
    );
    this.addSql(`create index "credential_type_created_at_index" on "credential_type" ("created_at");`);
    this.addSql(`create index "credential_type_name_index" on "credential_type" ("name");`);
    this.addSql(`alter table "credential_type" add constraint "credential_type_uuid_unique" unique ("uuid");`);
    this.addSql(`alter table "credential_type" add constraint "credential_type_code_unique" unique ("code");`);
    this.addSql(
      `create table "credential" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "name" text collate "C" not null, "company_id" bigint not null, "credential_type_id" bigint null, "values" json not null, "expires_at" timestamptz(3) null, "cipher_key" text collate "C" null);`,
    );
    this.addSql(`create index "credential_created_at_index" on "credential" ("created_at");`);
    this.addSql(`create index "credential_name_index" on "credential" ("name");`);
    this.addSql(`create index "credential_company_id_index" on "credential" ("company_id");`);
    this.addSql(`create index "credential_credential_type_id_index" on "credential" ("credential_type_id");`);
    this.addSql(`create index "credential_expires_at_index" on "credential" ("expires_at");`);
    this.addSql(
      `create table "event_source" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "name" text collate "C" not null, "kind" text collate "C" not null, "options" json not null, "cipher_key" text collate "C" null, "poll_interval" bigint not null, "enabled" boolean not null, "cursor" text collate "C" null, "last_polled_at" timestamptz(3) null, "last_error" text collate "C" null);`,
    );
    this.addSql(`create index "event_source_created_at_index" on "event_source" ("created_at");`);
    this.addSql(`create index "event_source_enabled_index" on "event_source" ("enabled");`);
    this.addSql(`alter table "event_source" add constraint "event_source_name_unique" unique ("name");`);
    this.addSql(
      `create table "idempotency_record" ("id" bigserial primary key, "scope" text collate "C" not null, "fingerprint_hmac" text collate "C" not null, "user_id" bigint null, "at" timestamptz(3) not null, "status" bigint not null, "headers" json not null, "body" bytea null, "subject" json null);`,
    );
    this.addSql(`create index "idempotency_record_at_index" on "idempotency_record" ("at");`);
    this.addSql(`create index "idempotency_record_user_id_at_index" on "idempotency_record" ("user_id", "at");`);
    this.addSql(`alter table "idempotency_record" add constraint "idempotency_record_scope_unique" unique ("scope");`);
    this.addSql(
      `create table "login_attempt" ("id" bigserial primary key, "key" text collate "C" not null, "wrong" bigint not null, "closed_until" timestamptz(3) null, "right_at" timestamptz(3) null, "at" timestamptz(3) not null);`,
    );
    this.addSql(`create index "login_attempt_at_index" on "login_attempt" ("at");`);
    this.addSql(`alter table "login_attempt" add constraint "login_attempt_key_unique" unique ("key");`);
    this.addSql(
      `create table "run_template" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "code" text collate "C" null, "name" text collate "C" not null, "app_id" bigint not null, "company_id" bigint not null, "active" boolean not null, "interval" text collate "C" not null, "cron" text collate "C" null, "timezone" text collate "C" not null, "delay" bigint not null, "jitter" bigint not null, "starts_at" timestamptz(3) null, "ends_at" timestamptz(3) null, "deadline" text collate "C" null, "max_attempts" bigint not null, "retry_backoff" text collate "C" not null, "retry_delay" bigint not null, "retry_max_delay" bigint not null, "allow_late" boolean not null, "timeout" bigint null, "overlap" text collate "C" not null, "catch_up" text collate "C" not null, "executor" text collate "C" not null, "executor_options" json not null, "environment" json not null, "credentials" json not null, "topics" json not null, "on_success" json not null, "on_failure" json not null, "on_missed" json not null, "note" text collate "C" null, "cipher_key" text collate "C" null);`,
    );
    this.addSql(`create index "run_template_created_at_index" on "run_template" ("created_at");`);
    this.addSql(`create index "run_template_app_id_index" on "run_template" ("app_id");`);
    this.addSql(`create index "run_template_company_id_index" on "run_template" ("company_id");`);
    this.addSql(`create index "run_template_active_index" on "run_template" ("active");`);
    this.addSql(`create index "run_template_name_index" on "run_template" ("name");`);
    this.addSql(`create index "run_template_code_index" on "run_template" ("code");`);
    this.addSql(
      `alter table "run_template" add constraint "run_template_company_id_code_unique" unique ("company_id", "code");`,
    );
    this.addSql(
      `create table "event_rule" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "name" text collate "C" null, "company_id" bigint null, "event_source_id" bigint null, "runtemplate_source_id" bigint null, "event" text collate "C" null, "evidence" text collate "C" null, "operation" text collate "C" not null, "runtemplate_id" bigint not null, "priority" bigint not null, "enabled" boolean not null, "env_mapping" json not null);`,
    );
    this.addSql(`create index "event_rule_created_at_index" on "event_rule" ("created_at");`);
    this.addSql(`create index "event_rule_company_id_index" on "event_rule" ("company_id");`);
    this.addSql(`create index "event_rule_event_source_id_index" on "event_rule" ("event_source_id");`);
    this.addSql(`create index "event_rule_runtemplate_source_id_index" on "event_rule" ("runtemplate_source_id");`);
    this.addSql(`create index "event_rule_runtemplate_id_index" on "event_rule" ("runtemplate_id");`);
    this.addSql(`create index "event_rule_enabled_index" on "event_rule" ("enabled");`);
    this.addSql(`create index "event_rule_name_index" on "event_rule" ("name");`);
    this.addSql(
      `create table "schedule" ("id" bigserial primary key, "runtemplate_id" bigint not null, "next_at" timestamptz(3) null, "next_window" timestamptz(3) null, "backlog" json null, "last_scheduled_at" timestamptz(3) null, "successful_jobs_count" bigint not null, "failed_jobs_count" bigint not null);`,
    );
    this.addSql(`create index "schedule_next_at_id_index" on "schedule" ("next_at", "id");`);
    this.addSql(`alter table "schedule" add constraint "schedule_runtemplate_id_unique" unique ("runtemplate_id");`);
    this.addSql(
      `create table "setting" ("id" bigserial primary key, "name" text collate "C" not null, "value" text collate "C" null);`,
    );
    this.addSql(`alter table "setting" add constraint "setting_name_unique" unique ("name");`);
    this.addSql(
      `create table "task" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "runtemplate_id" bigint not null, "company_id" bigint not null, "window_start" timestamptz(3) not null, "window_end" timestamptz(3) not null, "deadline" timestamptz(3) not null, "state" text collate "C" not null, "reason" text collate "C" null, "attempts" bigint not null, "fulfilled_by_job_id" bigint null, "fulfilled_at" timestamptz(3) null, "max_attempts" bigint not null, "allow_late" boolean not null, "retry_backoff" text collate "C" not null, "retry_delay" bigint not null, "retry_max_delay" bigint not null, "caught_up" boolean not null, "waived_reason" text collate "C" null, "start_deadline" timestamptz(3) null);`,
    );
    this.addSql(`create index "task_created_at_index" on "task" ("created_at");`);
    this.addSql(`create index "task_runtemplate_id_index" on "task" ("runtemplate_id");`);
    this.addSql(`create index "task_company_id_index" on "task" ("company_id");`);
    this.addSql(`create index "task_window_start_index" on "task" ("window_start");`);
    this.addSql(`create index "task_deadline_index" on "task" ("deadline");`);
    this.addSql(`create index "task_state_id_index" on "task" ("state", "id");`);
    this.addSql(`create index "task_start_deadline_id_index" on "task" ("start_deadline", "id");`);
    this.addSql(`create index "task_fulfilled_by_job_id_index" on "task" ("fulfilled_by_job_id");`);
    this.addSql(
      `alter table "task" add constraint "task_runtemplate_id_window_start_unique" unique ("runtemplate_id", "window_start");`,
    );
    this.addSql(
      `create table "topic" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "name" text collate "C" not null, "description" text collate "C" null, "color" text collate "C" null);`,
    );
    this.addSql(`create index "topic_created_at_index" on "topic" ("created_at");`);
    this.addSql(`alter table "topic" add constraint "topic_name_unique" unique ("name");`);
    this.addSql(
      `create table "user" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "login" text collate "C" not null, "email" text collate "C" null, "first_name" text collate "C" null, "last_name" text collate "C" null, "password" text collate "C" null, "enabled" boolean not null, "settings" json not null, "last_login_at" timestamptz(3) null);`,
    );
    this.addSql(`create index "user_created_at_index" on "user" ("created_at");`);
    this.addSql(`create index "user_email_index" on "user" ("email");`);
    this.addSql(`create index "user_enabled_index" on "user" ("enabled");`);
    this.addSql(`alter table "user" add constraint "user_login_unique" unique ("login");`);
    this.addSql(
      `create table "token" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "user_id" bigint not null, "name" text collate "C" null, "kind" text collate "C" not null, "hash" text collate "C" not null, "expires_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, "last_used_at" timestamptz(3) null);`,
    );
    this.addSql(`create index "token_created_at_index" on "token" ("created_at");`);
    this.addSql(`create index "token_user_id_index" on "token" ("user_id");`);
    this.addSql(`create index "token_expires_at_index" on "token" ("expires_at");`);
    this.addSql(`alter table "token" add constraint "token_hash_unique" unique ("hash");`);
    this.addSql(
      `create table "job" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "runtemplate_id" bigint not null, "app_id" bigint not null, "company_id" bigint not null, "task_id" bigint null, "attempt" bigint not null, "state" text collate "C" not null, "trigger" text collate "C" not null, "launched_by" bigint null, "scheduled_at" timestamptz(3) not null, "started_at" timestamptz(3) null, "finished_at" timestamptz(3) null, "exit_code" bigint null, "signal" text collate "C" null, "reason" text collate "C" null, "command" text collate "C" null, "arguments" json not null, "environment" json not null, "executor" text collate "C" not null, "worker" text collate "C" null, "pid" bigint null, "app_version" text collate "C" null, "heartbeat_at" timestamptz(3) null, "progress" bigint null, "message" text collate "C" null, "queue_at" timestamptz(3) null, "overrides" json not null, "stop_reason" text collate "C" null, "ping_key_hash" text collate "C" null);`,
    );
    this.addSql(`create index "job_created_at_index" on "job" ("created_at");`);
    this.addSql(`create index "job_app_id_index" on "job" ("app_id");`);
    this.addSql(`create index "job_company_id_index" on "job" ("company_id");`);
    this.addSql(`create index "job_task_id_index" on "job" ("task_id");`);
    this.addSql(`create index "job_launched_by_index" on "job" ("launched_by");`);
    this.addSql(`create index "job_scheduled_at_index" on "job" ("scheduled_at");`);
    this.addSql(
      `create index "job_runtemplate_id_state_queue_at_index" on "job" ("runtemplate_id", "state", "queue_at");`,
    );
    this.addSql(
      `create index "job_executor_state_queue_at_id_index" on "job" ("executor", "state", "queue_at", "id");`,
    );
    this.addSql(`create index "job_state_id_index" on "job" ("state", "id");`);
    this.addSql(`create index "job_runtemplate_id_index" on "job" ("runtemplate_id");`);
    this.addSql(
      `create table "job_output" ("id" bigserial primary key, "job_id" bigint not null, "seq" bigint not null, "stream" text collate "C" not null, "at" timestamptz(3) not null, "data" bytea not null);`,
    );
    this.addSql(`create index "job_output_job_id_index" on "job_output" ("job_id");`);
    this.addSql(`alter table "job_output" add constraint "job_output_job_id_seq_unique" unique ("job_id", "seq");`);
    this.addSql(
      `create table "external_lease" ("id" bigserial primary key, "job_id" bigint not null, "heartbeat_timeout" bigint null, "timeout_at" timestamptz(3) null, "ends_at" timestamptz(3) null, "output_size" bigint not null);`,
    );
    this.addSql(`create index "external_lease_ends_at_index" on "external_lease" ("ends_at");`);
    this.addSql(`alter table "external_lease" add constraint "external_lease_job_id_unique" unique ("job_id");`);
    this.addSql(
      `create table "artifact" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "job_id" bigint not null, "company_id" bigint not null, "filename" text collate "C" not null, "content_type" text collate "C" not null, "size" bigint not null, "sha256" text collate "C" not null);`,
    );
    this.addSql(`create index "artifact_created_at_index" on "artifact" ("created_at");`);
    this.addSql(`create index "artifact_job_id_index" on "artifact" ("job_id");`);
    this.addSql(`create index "artifact_company_id_index" on "artifact" ("company_id");`);
    this.addSql(
      `create table "artifact_content" ("id" bigserial primary key, "artifact_id" bigint not null, "content" bytea not null);`,
    );
    this.addSql(
      `alter table "artifact_content" add constraint "artifact_content_artifact_id_unique" unique ("artifact_id");`,
    );
    this.addSql(
      `create table "company_user" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "company_id" bigint not null, "user_id" bigint not null, "role" text collate "C" not null);`,
    );
    this.addSql(`create index "company_user_created_at_index" on "company_user" ("created_at");`);
    this.addSql(`create index "company_user_company_id_index" on "company_user" ("company_id");`);
    this.addSql(`create index "company_user_user_id_index" on "company_user" ("user_id");`);
    this.addSql(
      `alter table "company_user" add constraint "company_user_company_id_user_id_unique" unique ("company_id", "user_id");`,
    );
    this.addSql(
      `create table "user_roles" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "user_id" bigint not null, "role" text collate "C" not null, "assigned_at" timestamptz(3) null, "expires_at" timestamptz(3) null);`,
    );
    this.addSql(`create index "user_roles_created_at_index" on "user_roles" ("created_at");`);
    this.addSql(`create index "user_roles_user_id_index" on "user_roles" ("user_id");`);
    this.addSql(`alter table "user_roles" add constraint "user_roles_user_id_role_unique" unique ("user_id", "role");`);
    this.addSql(
      `create table "worker_lease" ("id" bigserial primary key, "name" text collate "C" not null, "host" text collate "C" not null, "pid" bigint not null, "started_at" timestamptz(3) not null, "lease_until" timestamptz(3) not null, "capacity" bigint not null, "vault_keys" text collate "C" null);`,
    );
    this.addSql(`create index "worker_lease_lease_until_index" on "worker_lease" ("lease_until");`);
    this.addSql(`alter table "worker_lease" add constraint "worker_lease_name_unique" unique ("name");`);
    this.addSql(
      `create or replace function "audit_log_audit_log_update_of_sealed_fn"() returns trigger as $$ begin if old.seq is not null then raise exception 'A sealed entry of the audit log refuses update.' using errcode = 'restrict_violation'; end if; return coalesce(new, old); end; $$ language plpgsql;`,
    );
    this.addSql(
      `create trigger "audit_log_update_of_sealed" BEFORE UPDATE on "audit_log" for each ROW execute function "audit_log_audit_log_update_of_sealed_fn"();`,
    );
    this.addSql(
      `create or replace function "audit_log_audit_log_delete_of_sealed_fn"() returns trigger as $$ begin if old.seq is not null then raise exception 'A sealed entry of the audit log refuses delete.' using errcode = 'restrict_violation'; end if; return coalesce(new, old); end; $$ language plpgsql;`,
    );
    this.addSql(
      `create trigger "audit_log_delete_of_sealed" BEFORE DELETE on "audit_log" for each ROW execute function "audit_log_audit_log_delete_of_sealed_fn"();`,
    );
    this.addSql(
      `alter table "credential" add constraint "credential_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "credential" add constraint "credential_credential_type_id_foreign" foreign key ("credential_type_id") references "credential_type" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "run_template" add constraint "run_template_app_id_foreign" foreign key ("app_id") references "app" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "run_template" add constraint "run_template_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "event_rule" add constraint "event_rule_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "event_rule" add constraint "event_rule_event_source_id_foreign" foreign key ("event_source_id") references "event_source" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "event_rule" add constraint "event_rule_runtemplate_source_id_foreign" foreign key ("runtemplate_source_id") references "run_template" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "event_rule" add constraint "event_rule_runtemplate_id_foreign" foreign key ("runtemplate_id") references "run_template" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "schedule" add constraint "schedule_runtemplate_id_foreign" foreign key ("runtemplate_id") references "run_template" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "task" add constraint "task_runtemplate_id_foreign" foreign key ("runtemplate_id") references "run_template" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "task" add constraint "task_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "token" add constraint "token_user_id_foreign" foreign key ("user_id") references "user" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "job" add constraint "job_runtemplate_id_foreign" foreign key ("runtemplate_id") references "run_template" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "job" add constraint "job_app_id_foreign" foreign key ("app_id") references "app" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "job" add constraint "job_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "job" add constraint "job_task_id_foreign" foreign key ("task_id") references "task" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "job" add constraint "job_launched_by_foreign" foreign key ("launched_by") references "user" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "job_output" add constraint "job_output_job_id_foreign" foreign key ("job_id") references "job" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "external_lease" add constraint "external_lease_job_id_foreign" foreign key ("job_id") references "job" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "artifact" add constraint "artifact_job_id_foreign" foreign key ("job_id") references "job" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "artifact" add constraint "artifact_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "artifact_content" add constraint "artifact_content_artifact_id_foreign" foreign key ("artifact_id") references "artifact" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "company_user" add constraint "company_user_company_id_foreign" foreign key ("company_id") references "company" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "company_user" add constraint "company_user_user_id_foreign" foreign key ("user_id") references "user" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "user_roles" add constraint "user_roles_user_id_foreign" foreign key ("user_id") references "user" ("id") on update no action on delete restrict;`,
    );
  }
}

import { Migration } from '@mikro-orm/migrations';

export class Migration20261123181024_initial extends Migration {
  override name = 'Migration20261123181024_initial';

  override up(): void {
    this.addSql(
      `create table "horarium_app" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "uuid" text collate "C" null, "code" text collate "C" null, "name" text collate "C" not null, "description" text collate "C" null, "version" text collate "C" null, "enabled" boolean not null, "executable" text collate "C" not null, "arguments" json not null, "stdin" text collate "C" null, "setup" text collate "C" null, "deploy" text collate "C" null, "homepage" text collate "C" null, "image" text collate "C" null, "oci_image" text collate "C" null, "helm_chart" text collate "C" null, "tags" json not null, "topics" json not null, "requirements" json not null, "environment" json not null, "exit_codes" json not null, "result_file" text collate "C" null, "artifacts" json not null, "produces" json not null, "consumes" json not null, "translations" json not null, "cipher_key" text collate "C" null, "extra" json not null);`,
    );
    this.addSql(`create index "horarium_app_created_at_index" on "horarium_app" ("created_at");`);
    this.addSql(`create index "horarium_app_name_index" on "horarium_app" ("name");`);
    this.addSql(`create index "horarium_app_enabled_index" on "horarium_app" ("enabled");`);
    this.addSql(`alter table "horarium_app" add constraint "horarium_app_uuid_unique" unique ("uuid");`);
    this.addSql(`alter table "horarium_app" add constraint "horarium_app_code_unique" unique ("code");`);
    this.addSql(
      `create table "horarium_audit_log" ("id" bigserial primary key, "created_at" timestamptz(3) not null, "user_id" bigint null, "channel" text collate "C" not null, "actor" text collate "C" not null, "action" text collate "C" not null, "entity_type" text collate "C" not null, "entity_id" bigint not null, "company_id" bigint null, "changes" json not null, "ip" text collate "C" null, "request_id" text collate "C" null, "seq" bigint null, "hash" text collate "C" null, "forged" boolean not null, "nonce" text collate "C" not null, "mac" text collate "C" not null);`,
    );
    this.addSql(`create index "horarium_audit_log_created_at_index" on "horarium_audit_log" ("created_at");`);
    this.addSql(`create index "horarium_audit_log_user_id_index" on "horarium_audit_log" ("user_id");`);
    this.addSql(`create index "horarium_audit_log_action_index" on "horarium_audit_log" ("action");`);
    this.addSql(`create index "horarium_audit_log_company_id_index" on "horarium_audit_log" ("company_id");`);
    this.addSql(
      `create index "horarium_audit_log_entity_type_entity_id_index" on "horarium_audit_log" ("entity_type", "entity_id");`,
    );
    this.addSql(`alter table "horarium_audit_log" add constraint "horarium_audit_log_nonce_unique" unique ("nonce");`);
    this.addSql(
      `alter table "horarium_audit_log" add constraint "horarium_audit_log_seq_forged_unique" unique ("seq", "forged");`,
    );
    this.addSql(
      `create table "horarium_company" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "code" text collate "C" not null, "name" text collate "C" not null, "enabled" boolean not null, "max_running" bigint null, "run_as" text collate "C" null, "registration_number" text collate "C" null, "email" text collate "C" null, "logo" text collate "C" null, "settings" json not null, "environment" json not null, "on_start" json not null, "on_success" json not null, "on_failure" json not null, "on_late" json not null, "on_missed" json not null, "on_recovered" json not null, "cipher_key" text collate "C" null);`,
    );
    this.addSql(`create index "horarium_company_created_at_index" on "horarium_company" ("created_at");`);
    this.addSql(`create index "horarium_company_name_index" on "horarium_company" ("name");`);
    this.addSql(`create index "horarium_company_enabled_index" on "horarium_company" ("enabled");`);
    this.addSql(`alter table "horarium_company" add constraint "horarium_company_code_unique" unique ("code");`);
    this.addSql(`alter table "horarium_company" add constraint "horarium_company_run_as_unique" unique ("run_as");`);
    this.addSql(
      `create table "horarium_credential_type" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "uuid" text collate "C" null, "code" text collate "C" not null, "name" text collate "C" not null, "description" text collate "C" null, "url" text collate "C" null, "logo" text collate "C" null, "version" text collate "C" null, "cipher_key" text collate "C" null, "fields" json not null);`,
    );
    this.addSql(
      `create index "horarium_credential_type_created_at_index" on "horarium_credential_type" ("created_at");`,
    );
    this.addSql(`create index "horarium_credential_type_name_index" on "horarium_credential_type" ("name");`);
    this.addSql(
      `alter table "horarium_credential_type" add constraint "horarium_credential_type_uuid_unique" unique ("uuid");`,
    );
    this.addSql(
      `alter table "horarium_credential_type" add constraint "horarium_credential_type_code_unique" unique ("code");`,
    );
    this.addSql(
      `create table "horarium_credential" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "name" text collate "C" not null, "company_id" bigint not null, "credential_type_id" bigint null, "values" json not null, "expires_at" timestamptz(3) null, "cipher_key" text collate "C" null);`,
    );
    this.addSql(`create index "horarium_credential_created_at_index" on "horarium_credential" ("created_at");`);
    this.addSql(`create index "horarium_credential_name_index" on "horarium_credential" ("name");`);
    this.addSql(`create index "horarium_credential_company_id_index" on "horarium_credential" ("company_id");`);
    this.addSql(
      `create index "horarium_credential_credential_type_id_index" on "horarium_credential" ("credential_type_id");`,
    );
    this.addSql(`create index "horarium_credential_expires_at_index" on "horarium_credential" ("expires_at");`);
    this.addSql(
      `create table "horarium_daily_usage" ("id" bigserial primary key, "owner" text collate "C" not null, "day" timestamptz(3) not null, "writer" text collate "C" not null, "output" bigint not null, "artifacts" bigint not null, "changes" bigint not null);`,
    );
    this.addSql(`create index "horarium_daily_usage_day_index" on "horarium_daily_usage" ("day");`);
    this.addSql(
      `alter table "horarium_daily_usage" add constraint "horarium_daily_usage_owner_day_writer_unique" unique ("owner", "day", "writer");`,
    );
    this.addSql(
      `create table "horarium_delivery" ("id" bigserial primary key, "created_at" timestamptz(3) not null, "action" text collate "C" not null, "endpoint" text collate "C" not null, "event" text collate "C" not null, "owner" text collate "C" not null, "place" bigint not null, "company_id" bigint null, "runtemplate_id" bigint null, "task_id" bigint null, "job_id" bigint null, "state" text collate "C" not null, "attempts" bigint not null, "next_at" timestamptz(3) null, "delivered_at" timestamptz(3) null, "status" bigint null, "response" text collate "C" null, "error" text collate "C" null, "message_id" text collate "C" not null, "digest_id" bigint null, "collected" boolean not null, "tries" bigint not null, "notice" json not null);`,
    );
    this.addSql(`create index "horarium_delivery_created_at_index" on "horarium_delivery" ("created_at");`);
    this.addSql(`create index "horarium_delivery_company_id_index" on "horarium_delivery" ("company_id");`);
    this.addSql(`create index "horarium_delivery_runtemplate_id_index" on "horarium_delivery" ("runtemplate_id");`);
    this.addSql(`create index "horarium_delivery_task_id_index" on "horarium_delivery" ("task_id");`);
    this.addSql(`create index "horarium_delivery_digest_id_index" on "horarium_delivery" ("digest_id");`);
    this.addSql(
      `create index "horarium_delivery_state_next_at_id_endpoint_company_id_index" on "horarium_delivery" ("state", "next_at", "id", "endpoint", "company_id");`,
    );
    this.addSql(`create index "horarium_delivery_job_id_index" on "horarium_delivery" ("job_id");`);
    this.addSql(
      `alter table "horarium_delivery" add constraint "horarium_delivery_message_id_unique" unique ("message_id");`,
    );
    this.addSql(
      `create table "horarium_event" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "kind" text collate "C" not null, "event" text collate "C" null, "company_id" bigint null, "event_source_id" bigint null, "runtemplate_id" bigint null, "job_id" bigint null, "task_id" bigint null, "key" text collate "C" null, "evidence" text collate "C" null, "operation" text collate "C" null, "record_id" text collate "C" null, "state" text collate "C" not null, "reason" text collate "C" null, "attempts" bigint not null, "payload" json not null, "problem" text collate "C" null, "depth" bigint not null, "fired" json null);`,
    );
    this.addSql(`create index "horarium_event_created_at_index" on "horarium_event" ("created_at");`);
    this.addSql(`create index "horarium_event_company_id_index" on "horarium_event" ("company_id");`);
    this.addSql(`create index "horarium_event_event_source_id_index" on "horarium_event" ("event_source_id");`);
    this.addSql(`create index "horarium_event_runtemplate_id_index" on "horarium_event" ("runtemplate_id");`);
    this.addSql(`create index "horarium_event_job_id_index" on "horarium_event" ("job_id");`);
    this.addSql(`create index "horarium_event_task_id_index" on "horarium_event" ("task_id");`);
    this.addSql(`create index "horarium_event_state_id_index" on "horarium_event" ("state", "id");`);
    this.addSql(
      `alter table "horarium_event" add constraint "horarium_event_event_source_id_key_unique" unique ("event_source_id", "key");`,
    );
    this.addSql(
      `create table "horarium_event_source" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "name" text collate "C" not null, "kind" text collate "C" not null, "options" json not null, "cipher_key" text collate "C" null, "poll_interval" bigint not null, "companies" json not null, "enabled" boolean not null, "cursor" text collate "C" null, "last_polled_at" timestamptz(3) null, "last_error" text collate "C" null, "next_poll_at" timestamptz(3) not null, "failures" bigint not null);`,
    );
    this.addSql(`create index "horarium_event_source_created_at_index" on "horarium_event_source" ("created_at");`);
    this.addSql(`create index "horarium_event_source_enabled_index" on "horarium_event_source" ("enabled");`);
    this.addSql(`create index "horarium_event_source_next_poll_at_index" on "horarium_event_source" ("next_poll_at");`);
    this.addSql(
      `alter table "horarium_event_source" add constraint "horarium_event_source_name_unique" unique ("name");`,
    );
    this.addSql(
      `create table "horarium_idempotency_record" ("id" bigserial primary key, "scope" text collate "C" not null, "fingerprint_hmac" text collate "C" not null, "user_id" bigint null, "at" timestamptz(3) not null, "status" bigint not null, "headers" json not null, "body" bytea null, "subject" json null);`,
    );
    this.addSql(`create index "horarium_idempotency_record_at_index" on "horarium_idempotency_record" ("at");`);
    this.addSql(
      `create index "horarium_idempotency_record_user_id_at_index" on "horarium_idempotency_record" ("user_id", "at");`,
    );
    this.addSql(
      `alter table "horarium_idempotency_record" add constraint "horarium_idempotency_record_scope_unique" unique ("scope");`,
    );
    this.addSql(
      `create table "horarium_login_attempt" ("id" bigserial primary key, "key" text collate "C" not null, "failures" bigint not null, "closed_until" timestamptz(3) null, "last_success_at" timestamptz(3) null, "last_attempt_at" timestamptz(3) not null);`,
    );
    this.addSql(
      `create index "horarium_login_attempt_last_attempt_at_index" on "horarium_login_attempt" ("last_attempt_at");`,
    );
    this.addSql(
      `alter table "horarium_login_attempt" add constraint "horarium_login_attempt_key_unique" unique ("key");`,
    );
    this.addSql(
      `create table "horarium_run_template" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "code" text collate "C" null, "name" text collate "C" not null, "app_id" bigint not null, "company_id" bigint not null, "active" boolean not null, "interval" text collate "C" not null, "cron" text collate "C" null, "timezone" text collate "C" not null, "delay" bigint not null, "jitter" bigint not null, "starts_at" timestamptz(3) null, "ends_at" timestamptz(3) null, "deadline" text collate "C" null, "max_attempts" bigint not null, "retry_backoff" text collate "C" not null, "retry_delay" bigint not null, "retry_max_delay" bigint not null, "allow_late" boolean not null, "timeout" bigint null, "overlap" text collate "C" not null, "catch_up" text collate "C" not null, "max_running" bigint null, "priority" bigint not null, "executor" text collate "C" not null, "executor_options" json not null, "pings_since" timestamptz(3) null, "ping_hash" text collate "C" null, "environment" json not null, "credentials" json not null, "topics" json not null, "on_start" json not null, "on_success" json not null, "on_failure" json not null, "on_late" json not null, "on_missed" json not null, "on_recovered" json not null, "note" text collate "C" null, "cipher_key" text collate "C" null);`,
    );
    this.addSql(`create index "horarium_run_template_created_at_index" on "horarium_run_template" ("created_at");`);
    this.addSql(`create index "horarium_run_template_app_id_index" on "horarium_run_template" ("app_id");`);
    this.addSql(`create index "horarium_run_template_company_id_index" on "horarium_run_template" ("company_id");`);
    this.addSql(`create index "horarium_run_template_active_index" on "horarium_run_template" ("active");`);
    this.addSql(`create index "horarium_run_template_name_index" on "horarium_run_template" ("name");`);
    this.addSql(`create index "horarium_run_template_code_index" on "horarium_run_template" ("code");`);
    this.addSql(
      `alter table "horarium_run_template" add constraint "horarium_run_template_ping_hash_unique" unique ("ping_hash");`,
    );
    this.addSql(
      `alter table "horarium_run_template" add constraint "horarium_run_template_company_id_code_unique" unique ("company_id", "code");`,
    );
    this.addSql(
      `create table "horarium_event_rule" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "name" text collate "C" null, "company_id" bigint null, "event_source_id" bigint null, "runtemplate_source_id" bigint null, "event" text collate "C" null, "evidence" text collate "C" null, "operation" text collate "C" not null, "runtemplate_id" bigint not null, "priority" bigint not null, "enabled" boolean not null, "by_admin" boolean not null, "env_mapping" json not null);`,
    );
    this.addSql(`create index "horarium_event_rule_created_at_index" on "horarium_event_rule" ("created_at");`);
    this.addSql(`create index "horarium_event_rule_company_id_index" on "horarium_event_rule" ("company_id");`);
    this.addSql(
      `create index "horarium_event_rule_event_source_id_index" on "horarium_event_rule" ("event_source_id");`,
    );
    this.addSql(
      `create index "horarium_event_rule_runtemplate_source_id_index" on "horarium_event_rule" ("runtemplate_source_id");`,
    );
    this.addSql(`create index "horarium_event_rule_runtemplate_id_index" on "horarium_event_rule" ("runtemplate_id");`);
    this.addSql(`create index "horarium_event_rule_enabled_index" on "horarium_event_rule" ("enabled");`);
    this.addSql(`create index "horarium_event_rule_name_index" on "horarium_event_rule" ("name");`);
    this.addSql(
      `create table "horarium_action_subscription" ("id" bigserial primary key, "runtemplate_id" bigint null, "company_id" bigint null);`,
    );
    this.addSql(
      `alter table "horarium_action_subscription" add constraint "horarium_action_subscription_runtemplate_id_unique" unique ("runtemplate_id");`,
    );
    this.addSql(
      `alter table "horarium_action_subscription" add constraint "horarium_action_subscription_company_id_unique" unique ("company_id");`,
    );
    this.addSql(
      `create table "horarium_schedule" ("id" bigserial primary key, "runtemplate_id" bigint not null, "company_id" bigint not null, "next_at" timestamptz(3) null, "next_window" timestamptz(3) null, "backlog" json null, "backlog_at" timestamptz(3) null, "last_scheduled_at" timestamptz(3) null, "successful_jobs_count" bigint not null, "failed_jobs_count" bigint not null, "failures_in_row" bigint not null, "failing_since" timestamptz(3) null);`,
    );
    this.addSql(
      `create index "horarium_schedule_next_at_company_id_id_index" on "horarium_schedule" ("next_at", "company_id", "id");`,
    );
    this.addSql(
      `create index "horarium_schedule_company_id_next_at_id_index" on "horarium_schedule" ("company_id", "next_at", "id");`,
    );
    this.addSql(
      `create index "horarium_schedule_backlog_at_company_id_id_index" on "horarium_schedule" ("backlog_at", "company_id", "id");`,
    );
    this.addSql(
      `create index "horarium_schedule_company_id_backlog_at_id_index" on "horarium_schedule" ("company_id", "backlog_at", "id");`,
    );
    this.addSql(`create index "horarium_schedule_company_id_index" on "horarium_schedule" ("company_id");`);
    this.addSql(
      `alter table "horarium_schedule" add constraint "horarium_schedule_runtemplate_id_unique" unique ("runtemplate_id");`,
    );
    this.addSql(
      `create table "horarium_setting" ("id" bigserial primary key, "name" text collate "C" not null, "value" text collate "C" null);`,
    );
    this.addSql(`alter table "horarium_setting" add constraint "horarium_setting_name_unique" unique ("name");`);
    this.addSql(
      `create table "horarium_task" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "runtemplate_id" bigint not null, "company_id" bigint not null, "window_start" timestamptz(3) not null, "window_end" timestamptz(3) not null, "deadline" timestamptz(3) not null, "state" text collate "C" not null, "reason" text collate "C" null, "attempts" bigint not null, "fulfilled_by_job_id" bigint null, "fulfilled_at" timestamptz(3) null, "max_attempts" bigint not null, "allow_late" boolean not null, "retry_backoff" text collate "C" not null, "retry_delay" bigint not null, "retry_max_delay" bigint not null, "caught_up" boolean not null, "waived_reason" text collate "C" null, "start_deadline" timestamptz(3) null);`,
    );
    this.addSql(`create index "horarium_task_created_at_index" on "horarium_task" ("created_at");`);
    this.addSql(`create index "horarium_task_runtemplate_id_index" on "horarium_task" ("runtemplate_id");`);
    this.addSql(`create index "horarium_task_company_id_index" on "horarium_task" ("company_id");`);
    this.addSql(`create index "horarium_task_window_start_index" on "horarium_task" ("window_start");`);
    this.addSql(`create index "horarium_task_deadline_index" on "horarium_task" ("deadline");`);
    this.addSql(`create index "horarium_task_state_id_index" on "horarium_task" ("state", "id");`);
    this.addSql(
      `create index "horarium_task_start_deadline_company_id_id_index" on "horarium_task" ("start_deadline", "company_id", "id");`,
    );
    this.addSql(
      `create index "horarium_task_company_id_start_deadline_id_index" on "horarium_task" ("company_id", "start_deadline", "id");`,
    );
    this.addSql(
      `create index "horarium_task_company_id_window_start_index" on "horarium_task" ("company_id", "window_start");`,
    );
    this.addSql(`create index "horarium_task_fulfilled_by_job_id_index" on "horarium_task" ("fulfilled_by_job_id");`);
    this.addSql(
      `alter table "horarium_task" add constraint "horarium_task_runtemplate_id_window_start_unique" unique ("runtemplate_id", "window_start");`,
    );
    this.addSql(
      `create table "horarium_topic" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "name" text collate "C" not null, "description" text collate "C" null, "color" text collate "C" null);`,
    );
    this.addSql(`create index "horarium_topic_created_at_index" on "horarium_topic" ("created_at");`);
    this.addSql(`alter table "horarium_topic" add constraint "horarium_topic_name_unique" unique ("name");`);
    this.addSql(
      `create table "horarium_user" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "login" text collate "C" not null, "email" text collate "C" null, "first_name" text collate "C" null, "last_name" text collate "C" null, "password" text collate "C" null, "enabled" boolean not null, "settings" json not null, "last_login_at" timestamptz(3) null);`,
    );
    this.addSql(`create index "horarium_user_created_at_index" on "horarium_user" ("created_at");`);
    this.addSql(`create index "horarium_user_email_index" on "horarium_user" ("email");`);
    this.addSql(`create index "horarium_user_enabled_index" on "horarium_user" ("enabled");`);
    this.addSql(`alter table "horarium_user" add constraint "horarium_user_login_unique" unique ("login");`);
    this.addSql(
      `create table "horarium_token" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "user_id" bigint not null, "name" text collate "C" null, "kind" text collate "C" not null, "hash" text collate "C" not null, "expires_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, "last_used_at" timestamptz(3) null);`,
    );
    this.addSql(`create index "horarium_token_created_at_index" on "horarium_token" ("created_at");`);
    this.addSql(`create index "horarium_token_user_id_index" on "horarium_token" ("user_id");`);
    this.addSql(`create index "horarium_token_expires_at_index" on "horarium_token" ("expires_at");`);
    this.addSql(`alter table "horarium_token" add constraint "horarium_token_hash_unique" unique ("hash");`);
    this.addSql(
      `create table "horarium_job" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "runtemplate_id" bigint not null, "app_id" bigint not null, "company_id" bigint not null, "task_id" bigint null, "event_id" bigint null, "attempt" bigint not null, "state" text collate "C" not null, "trigger" text collate "C" not null, "launched_by" bigint null, "scheduled_at" timestamptz(3) not null, "started_at" timestamptz(3) null, "finished_at" timestamptz(3) null, "exit_code" bigint null, "signal" text collate "C" null, "reason" text collate "C" null, "peak_memory" bigint null, "command" text collate "C" null, "arguments" json not null, "environment" json not null, "executor" text collate "C" not null, "worker" text collate "C" null, "pid" bigint null, "app_version" text collate "C" null, "heartbeat_at" timestamptz(3) null, "progress" bigint null, "message" text collate "C" null, "queue_at" timestamptz(3) null, "caught_up" boolean not null, "rank" bigint not null, "claims" bigint not null, "overrides" json not null, "input_files" json null, "stop_reason" text collate "C" null, "given_secrets" text collate "C" null, "ping_key_hash" text collate "C" null);`,
    );
    this.addSql(`create index "horarium_job_created_at_index" on "horarium_job" ("created_at");`);
    this.addSql(`create index "horarium_job_app_id_index" on "horarium_job" ("app_id");`);
    this.addSql(`create index "horarium_job_company_id_index" on "horarium_job" ("company_id");`);
    this.addSql(`create index "horarium_job_task_id_index" on "horarium_job" ("task_id");`);
    this.addSql(`create index "horarium_job_event_id_index" on "horarium_job" ("event_id");`);
    this.addSql(`create index "horarium_job_launched_by_index" on "horarium_job" ("launched_by");`);
    this.addSql(`create index "horarium_job_scheduled_at_index" on "horarium_job" ("scheduled_at");`);
    this.addSql(
      `create index "horarium_job_runtemplate_id_state_queue_at_index" on "horarium_job" ("runtemplate_id", "state", "queue_at");`,
    );
    this.addSql(
      `create index "horarium_job_executor_state_queue_at_id_index" on "horarium_job" ("executor", "state", "queue_at", "id");`,
    );
    this.addSql(
      `create index "horarium_job_state_company_id_caught_up_rank_queue_at__a6963076" on "horarium_job" ("state", "company_id", "caught_up", "rank", "queue_at", "id", "executor");`,
    );
    this.addSql(`create index "horarium_job_state_id_index" on "horarium_job" ("state", "id");`);
    this.addSql(`create index "horarium_job_runtemplate_id_index" on "horarium_job" ("runtemplate_id");`);
    this.addSql(
      `create table "horarium_job_output" ("id" bigserial primary key, "job_id" bigint not null, "seq" bigint not null, "stream" text collate "C" not null, "at" timestamptz(3) not null, "data" bytea not null);`,
    );
    this.addSql(`create index "horarium_job_output_job_id_index" on "horarium_job_output" ("job_id");`);
    this.addSql(
      `alter table "horarium_job_output" add constraint "horarium_job_output_job_id_seq_unique" unique ("job_id", "seq");`,
    );
    this.addSql(
      `create table "horarium_external_lease" ("id" bigserial primary key, "job_id" bigint not null, "heartbeat_timeout" bigint null, "timeout_at" timestamptz(3) null, "ends_at" timestamptz(3) null, "run_id" text collate "C" null, "output_size" bigint not null);`,
    );
    this.addSql(`create index "horarium_external_lease_ends_at_index" on "horarium_external_lease" ("ends_at");`);
    this.addSql(
      `alter table "horarium_external_lease" add constraint "horarium_external_lease_job_id_unique" unique ("job_id");`,
    );
    this.addSql(
      `create table "horarium_artifact" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "job_id" bigint not null, "company_id" bigint not null, "filename" text collate "C" not null, "content_type" text collate "C" not null, "size" bigint not null, "sha256" text collate "C" not null);`,
    );
    this.addSql(`create index "horarium_artifact_created_at_index" on "horarium_artifact" ("created_at");`);
    this.addSql(`create index "horarium_artifact_job_id_index" on "horarium_artifact" ("job_id");`);
    this.addSql(`create index "horarium_artifact_company_id_index" on "horarium_artifact" ("company_id");`);
    this.addSql(
      `create table "horarium_artifact_content" ("id" bigserial primary key, "artifact_id" bigint not null, "seq" bigint not null, "content" bytea not null);`,
    );
    this.addSql(
      `create index "horarium_artifact_content_artifact_id_index" on "horarium_artifact_content" ("artifact_id");`,
    );
    this.addSql(
      `alter table "horarium_artifact_content" add constraint "horarium_artifact_content_artifact_id_seq_unique" unique ("artifact_id", "seq");`,
    );
    this.addSql(
      `create table "horarium_company_user" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "company_id" bigint not null, "user_id" bigint not null, "role" text collate "C" not null);`,
    );
    this.addSql(`create index "horarium_company_user_created_at_index" on "horarium_company_user" ("created_at");`);
    this.addSql(`create index "horarium_company_user_company_id_index" on "horarium_company_user" ("company_id");`);
    this.addSql(`create index "horarium_company_user_user_id_index" on "horarium_company_user" ("user_id");`);
    this.addSql(
      `alter table "horarium_company_user" add constraint "horarium_company_user_company_id_user_id_unique" unique ("company_id", "user_id");`,
    );
    this.addSql(
      `create table "horarium_user_roles" ("id" bigserial primary key, "revision" bigint not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "user_id" bigint not null, "role" text collate "C" not null, "assigned_at" timestamptz(3) null, "expires_at" timestamptz(3) null);`,
    );
    this.addSql(`create index "horarium_user_roles_created_at_index" on "horarium_user_roles" ("created_at");`);
    this.addSql(`create index "horarium_user_roles_user_id_index" on "horarium_user_roles" ("user_id");`);
    this.addSql(
      `alter table "horarium_user_roles" add constraint "horarium_user_roles_user_id_role_unique" unique ("user_id", "role");`,
    );
    this.addSql(
      `create table "horarium_worker_lease" ("id" bigserial primary key, "name" text collate "C" not null, "host" text collate "C" not null, "pid" bigint not null, "started_at" timestamptz(3) not null, "lease_until" timestamptz(3) not null, "capacity" bigint not null, "executors" text collate "C" null, "vault_keys" text collate "C" null);`,
    );
    this.addSql(`create index "horarium_worker_lease_lease_until_index" on "horarium_worker_lease" ("lease_until");`);
    this.addSql(
      `alter table "horarium_worker_lease" add constraint "horarium_worker_lease_name_unique" unique ("name");`,
    );
    this.addSql(
      `create or replace function "horarium_audit_log_horarium_audit_log_update_of_sealed_fn"() returns trigger as $$ begin if old.seq is not null then raise exception 'A sealed entry of the audit log refuses update.' using errcode = 'restrict_violation'; end if; return coalesce(new, old); end; $$ language plpgsql;`,
    );
    this.addSql(
      `create trigger "horarium_audit_log_update_of_sealed" BEFORE UPDATE on "horarium_audit_log" for each ROW execute function "horarium_audit_log_horarium_audit_log_update_of_sealed_fn"();`,
    );
    this.addSql(
      `create or replace function "horarium_audit_log_horarium_audit_log_delete_of_sealed_fn"() returns trigger as $$ begin if old.seq is not null then raise exception 'A sealed entry of the audit log refuses delete.' using errcode = 'restrict_violation'; end if; return coalesce(new, old); end; $$ language plpgsql;`,
    );
    this.addSql(
      `create trigger "horarium_audit_log_delete_of_sealed" BEFORE DELETE on "horarium_audit_log" for each ROW execute function "horarium_audit_log_horarium_audit_log_delete_of_sealed_fn"();`,
    );
    this.addSql(
      `alter table "horarium_credential" add constraint "horarium_credential_company_id_foreign" foreign key ("company_id") references "horarium_company" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_credential" add constraint "horarium_credential_credential_type_id_foreign" foreign key ("credential_type_id") references "horarium_credential_type" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_event" add constraint "horarium_event_company_id_foreign" foreign key ("company_id") references "horarium_company" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_run_template" add constraint "horarium_run_template_app_id_foreign" foreign key ("app_id") references "horarium_app" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_run_template" add constraint "horarium_run_template_company_id_foreign" foreign key ("company_id") references "horarium_company" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_event_rule" add constraint "horarium_event_rule_company_id_foreign" foreign key ("company_id") references "horarium_company" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_event_rule" add constraint "horarium_event_rule_event_source_id_foreign" foreign key ("event_source_id") references "horarium_event_source" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_event_rule" add constraint "horarium_event_rule_runtemplate_source_id_foreign" foreign key ("runtemplate_source_id") references "horarium_run_template" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_event_rule" add constraint "horarium_event_rule_runtemplate_id_foreign" foreign key ("runtemplate_id") references "horarium_run_template" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_action_subscription" add constraint "horarium_action_subscription_runtemplate_id_foreign" foreign key ("runtemplate_id") references "horarium_run_template" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_action_subscription" add constraint "horarium_action_subscription_company_id_foreign" foreign key ("company_id") references "horarium_company" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_schedule" add constraint "horarium_schedule_runtemplate_id_foreign" foreign key ("runtemplate_id") references "horarium_run_template" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_task" add constraint "horarium_task_runtemplate_id_foreign" foreign key ("runtemplate_id") references "horarium_run_template" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_task" add constraint "horarium_task_company_id_foreign" foreign key ("company_id") references "horarium_company" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_token" add constraint "horarium_token_user_id_foreign" foreign key ("user_id") references "horarium_user" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_job" add constraint "horarium_job_runtemplate_id_foreign" foreign key ("runtemplate_id") references "horarium_run_template" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_job" add constraint "horarium_job_app_id_foreign" foreign key ("app_id") references "horarium_app" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_job" add constraint "horarium_job_company_id_foreign" foreign key ("company_id") references "horarium_company" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_job" add constraint "horarium_job_task_id_foreign" foreign key ("task_id") references "horarium_task" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_job" add constraint "horarium_job_event_id_foreign" foreign key ("event_id") references "horarium_event" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_job" add constraint "horarium_job_launched_by_foreign" foreign key ("launched_by") references "horarium_user" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_job_output" add constraint "horarium_job_output_job_id_foreign" foreign key ("job_id") references "horarium_job" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_external_lease" add constraint "horarium_external_lease_job_id_foreign" foreign key ("job_id") references "horarium_job" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_artifact" add constraint "horarium_artifact_job_id_foreign" foreign key ("job_id") references "horarium_job" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_artifact" add constraint "horarium_artifact_company_id_foreign" foreign key ("company_id") references "horarium_company" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_artifact_content" add constraint "horarium_artifact_content_artifact_id_foreign" foreign key ("artifact_id") references "horarium_artifact" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_company_user" add constraint "horarium_company_user_company_id_foreign" foreign key ("company_id") references "horarium_company" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_company_user" add constraint "horarium_company_user_user_id_foreign" foreign key ("user_id") references "horarium_user" ("id") on update no action on delete restrict;`,
    );
    this.addSql(
      `alter table "horarium_user_roles" add constraint "horarium_user_roles_user_id_foreign" foreign key ("user_id") references "horarium_user" ("id") on update no action on delete restrict;`,
    );
  }
}

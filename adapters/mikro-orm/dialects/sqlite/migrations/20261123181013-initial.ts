import { Migration } from '@mikro-orm/migrations';

export class Migration20261123181013_initial extends Migration {
  override name = 'Migration20261123181013_initial';

  override up(): void {
    this.addSql(
      `create table \`horarium_app\` (\`id\` integer not null primary key autoincrement, \`revision\` integer not null, \`created_at\` integer not null, \`updated_at\` integer not null, \`uuid\` text null, \`code\` text null, \`name\` text not null, \`description\` text null, \`version\` text null, \`enabled\` integer not null, \`executable\` text not null, \`arguments\` text not null, \`stdin\` text null, \`setup\` text null, \`deploy\` text null, \`homepage\` text null, \`image\` text null, \`oci_image\` text null, \`helm_chart\` text null, \`tags\` text not null, \`topics\` text not null, \`requirements\` text not null, \`environment\` text not null, \`exit_codes\` text not null, \`result_file\` text null, \`artifacts\` text not null, \`produces\` text not null, \`consumes\` text not null, \`translations\` text not null, \`cipher_key\` text null, \`extra\` text not null);`,
    );
    this.addSql(`create index \`horarium_app_created_at_index\` on \`horarium_app\` (\`created_at\`);`);
    this.addSql(`create index \`horarium_app_name_index\` on \`horarium_app\` (\`name\`);`);
    this.addSql(`create index \`horarium_app_enabled_index\` on \`horarium_app\` (\`enabled\`);`);
    this.addSql(`create unique index \`horarium_app_uuid_unique\` on \`horarium_app\` (\`uuid\`);`);
    this.addSql(`create unique index \`horarium_app_code_unique\` on \`horarium_app\` (\`code\`);`);
    this.addSql(
      `create table \`horarium_audit_log\` (\`id\` integer not null primary key autoincrement, \`created_at\` integer not null, \`user_id\` integer null, \`channel\` text not null, \`actor\` text not null, \`action\` text not null, \`entity_type\` text not null, \`entity_id\` integer not null, \`company_id\` integer null, \`changes\` text not null, \`ip\` text null, \`request_id\` text null, \`seq\` integer null, \`hash\` text null, \`forged\` integer not null, \`nonce\` text not null, \`mac\` text not null);`,
    );
    this.addSql(`create index \`horarium_audit_log_created_at_index\` on \`horarium_audit_log\` (\`created_at\`);`);
    this.addSql(`create index \`horarium_audit_log_user_id_index\` on \`horarium_audit_log\` (\`user_id\`);`);
    this.addSql(`create index \`horarium_audit_log_action_index\` on \`horarium_audit_log\` (\`action\`);`);
    this.addSql(`create index \`horarium_audit_log_company_id_index\` on \`horarium_audit_log\` (\`company_id\`);`);
    this.addSql(
      `create index \`horarium_audit_log_entity_type_entity_id_index\` on \`horarium_audit_log\` (\`entity_type\`, \`entity_id\`);`,
    );
    this.addSql(`create unique index \`horarium_audit_log_nonce_unique\` on \`horarium_audit_log\` (\`nonce\`);`);
    this.addSql(
      `create unique index \`horarium_audit_log_seq_forged_unique\` on \`horarium_audit_log\` (\`seq\`, \`forged\`);`,
    );
    this.addSql(
      `create trigger \`horarium_audit_log_update_of_sealed\` BEFORE UPDATE on \`horarium_audit_log\` for each ROW begin select raise(abort, 'A sealed entry of the audit log refuses update.') where old.seq is not null; end;`,
    );
    this.addSql(
      `create trigger \`horarium_audit_log_delete_of_sealed\` BEFORE DELETE on \`horarium_audit_log\` for each ROW begin select raise(abort, 'A sealed entry of the audit log refuses delete.') where old.seq is not null; end;`,
    );
    this.addSql(
      `create table \`horarium_company\` (\`id\` integer not null primary key autoincrement, \`revision\` integer not null, \`created_at\` integer not null, \`updated_at\` integer not null, \`code\` text not null, \`name\` text not null, \`enabled\` integer not null, \`max_running\` integer null, \`run_as\` text null, \`registration_number\` text null, \`email\` text null, \`logo\` text null, \`settings\` text not null, \`environment\` text not null, \`on_start\` text not null, \`on_success\` text not null, \`on_failure\` text not null, \`on_late\` text not null, \`on_missed\` text not null, \`on_recovered\` text not null, \`cipher_key\` text null);`,
    );
    this.addSql(`create index \`horarium_company_created_at_index\` on \`horarium_company\` (\`created_at\`);`);
    this.addSql(`create index \`horarium_company_name_index\` on \`horarium_company\` (\`name\`);`);
    this.addSql(`create index \`horarium_company_enabled_index\` on \`horarium_company\` (\`enabled\`);`);
    this.addSql(`create unique index \`horarium_company_code_unique\` on \`horarium_company\` (\`code\`);`);
    this.addSql(`create unique index \`horarium_company_run_as_unique\` on \`horarium_company\` (\`run_as\`);`);
    this.addSql(
      `create table \`horarium_credential_type\` (\`id\` integer not null primary key autoincrement, \`revision\` integer not null, \`created_at\` integer not null, \`updated_at\` integer not null, \`uuid\` text null, \`code\` text not null, \`name\` text not null, \`description\` text null, \`url\` text null, \`logo\` text null, \`version\` text null, \`cipher_key\` text null, \`fields\` text not null);`,
    );
    this.addSql(
      `create index \`horarium_credential_type_created_at_index\` on \`horarium_credential_type\` (\`created_at\`);`,
    );
    this.addSql(`create index \`horarium_credential_type_name_index\` on \`horarium_credential_type\` (\`name\`);`);
    this.addSql(
      `create unique index \`horarium_credential_type_uuid_unique\` on \`horarium_credential_type\` (\`uuid\`);`,
    );
    this.addSql(
      `create unique index \`horarium_credential_type_code_unique\` on \`horarium_credential_type\` (\`code\`);`,
    );
    this.addSql(
      `create table \`horarium_credential\` (\`id\` integer not null primary key autoincrement, \`revision\` integer not null, \`created_at\` integer not null, \`updated_at\` integer not null, \`name\` text not null, \`company_id\` integer not null, \`credential_type_id\` integer null, \`values\` text not null, \`expires_at\` integer null, \`cipher_key\` text null, constraint \`horarium_credential_company_id_foreign\` foreign key (\`company_id\`) references \`horarium_company\` (\`id\`) on update no action on delete restrict, constraint \`horarium_credential_credential_type_id_foreign\` foreign key (\`credential_type_id\`) references \`horarium_credential_type\` (\`id\`) on update no action on delete restrict);`,
    );
    this.addSql(`create index \`horarium_credential_created_at_index\` on \`horarium_credential\` (\`created_at\`);`);
    this.addSql(`create index \`horarium_credential_name_index\` on \`horarium_credential\` (\`name\`);`);
    this.addSql(`create index \`horarium_credential_company_id_index\` on \`horarium_credential\` (\`company_id\`);`);
    this.addSql(
      `create index \`horarium_credential_credential_type_id_index\` on \`horarium_credential\` (\`credential_type_id\`);`,
    );
    this.addSql(`create index \`horarium_credential_expires_at_index\` on \`horarium_credential\` (\`expires_at\`);`);
    this.addSql(
      `create table \`horarium_daily_usage\` (\`id\` integer not null primary key autoincrement, \`owner\` text not null, \`day\` integer not null, \`writer\` text not null, \`output\` integer not null, \`artifacts\` integer not null, \`changes\` integer not null);`,
    );
    this.addSql(`create index \`horarium_daily_usage_day_index\` on \`horarium_daily_usage\` (\`day\`);`);
    this.addSql(
      `create unique index \`horarium_daily_usage_owner_day_writer_unique\` on \`horarium_daily_usage\` (\`owner\`, \`day\`, \`writer\`);`,
    );
    this.addSql(
      `create table \`horarium_delivery\` (\`id\` integer not null primary key autoincrement, \`created_at\` integer not null, \`action\` text not null, \`endpoint\` text not null, \`event\` text not null, \`owner\` text not null, \`place\` integer not null, \`company_id\` integer null, \`runtemplate_id\` integer null, \`task_id\` integer null, \`job_id\` integer null, \`state\` text not null, \`attempts\` integer not null, \`next_at\` integer null, \`delivered_at\` integer null, \`status\` integer null, \`response\` text null, \`error\` text null, \`message_id\` text not null, \`digest_id\` integer null, \`collected\` integer not null, \`tries\` integer not null, \`notice\` text not null);`,
    );
    this.addSql(`create index \`horarium_delivery_created_at_index\` on \`horarium_delivery\` (\`created_at\`);`);
    this.addSql(`create index \`horarium_delivery_company_id_index\` on \`horarium_delivery\` (\`company_id\`);`);
    this.addSql(
      `create index \`horarium_delivery_runtemplate_id_index\` on \`horarium_delivery\` (\`runtemplate_id\`);`,
    );
    this.addSql(`create index \`horarium_delivery_task_id_index\` on \`horarium_delivery\` (\`task_id\`);`);
    this.addSql(`create index \`horarium_delivery_digest_id_index\` on \`horarium_delivery\` (\`digest_id\`);`);
    this.addSql(
      `create index \`horarium_delivery_state_next_at_id_endpoint_company_id_index\` on \`horarium_delivery\` (\`state\`, \`next_at\`, \`id\`, \`endpoint\`, \`company_id\`);`,
    );
    this.addSql(`create index \`horarium_delivery_job_id_index\` on \`horarium_delivery\` (\`job_id\`);`);
    this.addSql(
      `create unique index \`horarium_delivery_message_id_unique\` on \`horarium_delivery\` (\`message_id\`);`,
    );
    this.addSql(
      `create table \`horarium_event\` (\`id\` integer not null primary key autoincrement, \`revision\` integer not null, \`created_at\` integer not null, \`updated_at\` integer not null, \`kind\` text not null, \`event\` text null, \`company_id\` integer null, \`event_source_id\` integer null, \`runtemplate_id\` integer null, \`job_id\` integer null, \`task_id\` integer null, \`key\` text null, \`evidence\` text null, \`operation\` text null, \`record_id\` text null, \`state\` text not null, \`reason\` text null, \`attempts\` integer not null, \`payload\` text not null, \`problem\` text null, \`depth\` integer not null, \`fired\` text null, constraint \`horarium_event_company_id_foreign\` foreign key (\`company_id\`) references \`horarium_company\` (\`id\`) on update no action on delete restrict);`,
    );
    this.addSql(`create index \`horarium_event_created_at_index\` on \`horarium_event\` (\`created_at\`);`);
    this.addSql(`create index \`horarium_event_company_id_index\` on \`horarium_event\` (\`company_id\`);`);
    this.addSql(`create index \`horarium_event_event_source_id_index\` on \`horarium_event\` (\`event_source_id\`);`);
    this.addSql(`create index \`horarium_event_runtemplate_id_index\` on \`horarium_event\` (\`runtemplate_id\`);`);
    this.addSql(`create index \`horarium_event_job_id_index\` on \`horarium_event\` (\`job_id\`);`);
    this.addSql(`create index \`horarium_event_task_id_index\` on \`horarium_event\` (\`task_id\`);`);
    this.addSql(`create index \`horarium_event_state_id_index\` on \`horarium_event\` (\`state\`, \`id\`);`);
    this.addSql(
      `create unique index \`horarium_event_event_source_id_key_unique\` on \`horarium_event\` (\`event_source_id\`, \`key\`);`,
    );
    this.addSql(
      `create table \`horarium_event_source\` (\`id\` integer not null primary key autoincrement, \`revision\` integer not null, \`created_at\` integer not null, \`updated_at\` integer not null, \`name\` text not null, \`kind\` text not null, \`options\` text not null, \`cipher_key\` text null, \`poll_interval\` integer not null, \`companies\` text not null, \`enabled\` integer not null, \`cursor\` text null, \`last_polled_at\` integer null, \`last_error\` text null, \`next_poll_at\` integer not null, \`failures\` integer not null);`,
    );
    this.addSql(
      `create index \`horarium_event_source_created_at_index\` on \`horarium_event_source\` (\`created_at\`);`,
    );
    this.addSql(`create index \`horarium_event_source_enabled_index\` on \`horarium_event_source\` (\`enabled\`);`);
    this.addSql(
      `create index \`horarium_event_source_next_poll_at_index\` on \`horarium_event_source\` (\`next_poll_at\`);`,
    );
    this.addSql(`create unique index \`horarium_event_source_name_unique\` on \`horarium_event_source\` (\`name\`);`);
    this.addSql(
      `create table \`horarium_idempotency_record\` (\`id\` integer not null primary key autoincrement, \`scope\` text not null, \`fingerprint_hmac\` text not null, \`user_id\` integer null, \`at\` integer not null, \`status\` integer not null, \`headers\` text not null, \`body\` blob null, \`subject\` text null);`,
    );
    this.addSql(`create index \`horarium_idempotency_record_at_index\` on \`horarium_idempotency_record\` (\`at\`);`);
    this.addSql(
      `create index \`horarium_idempotency_record_user_id_at_index\` on \`horarium_idempotency_record\` (\`user_id\`, \`at\`);`,
    );
    this.addSql(
      `create unique index \`horarium_idempotency_record_scope_unique\` on \`horarium_idempotency_record\` (\`scope\`);`,
    );
    this.addSql(
      `create table \`horarium_login_attempt\` (\`id\` integer not null primary key autoincrement, \`key\` text not null, \`failures\` integer not null, \`closed_until\` integer null, \`last_success_at\` integer null, \`last_attempt_at\` integer not null);`,
    );
    this.addSql(
      `create index \`horarium_login_attempt_last_attempt_at_index\` on \`horarium_login_attempt\` (\`last_attempt_at\`);`,
    );
    this.addSql(`create unique index \`horarium_login_attempt_key_unique\` on \`horarium_login_attempt\` (\`key\`);`);
    this.addSql(
      `create table \`horarium_run_template\` (\`id\` integer not null primary key autoincrement, \`revision\` integer not null, \`created_at\` integer not null, \`updated_at\` integer not null, \`code\` text null, \`name\` text not null, \`app_id\` integer not null, \`company_id\` integer not null, \`active\` integer not null, \`interval\` text not null, \`cron\` text null, \`timezone\` text not null, \`delay\` integer not null, \`jitter\` integer not null, \`starts_at\` integer null, \`ends_at\` integer null, \`deadline\` text null, \`max_attempts\` integer not null, \`retry_backoff\` text not null, \`retry_delay\` integer not null, \`retry_max_delay\` integer not null, \`allow_late\` integer not null, \`timeout\` integer null, \`overlap\` text not null, \`catch_up\` text not null, \`max_running\` integer null, \`priority\` integer not null, \`executor\` text not null, \`executor_options\` text not null, \`pings_since\` integer null, \`ping_hash\` text null, \`environment\` text not null, \`credentials\` text not null, \`topics\` text not null, \`on_start\` text not null, \`on_success\` text not null, \`on_failure\` text not null, \`on_late\` text not null, \`on_missed\` text not null, \`on_recovered\` text not null, \`note\` text null, \`cipher_key\` text null, constraint \`horarium_run_template_app_id_foreign\` foreign key (\`app_id\`) references \`horarium_app\` (\`id\`) on update no action on delete restrict, constraint \`horarium_run_template_company_id_foreign\` foreign key (\`company_id\`) references \`horarium_company\` (\`id\`) on update no action on delete restrict);`,
    );
    this.addSql(
      `create index \`horarium_run_template_created_at_index\` on \`horarium_run_template\` (\`created_at\`);`,
    );
    this.addSql(`create index \`horarium_run_template_app_id_index\` on \`horarium_run_template\` (\`app_id\`);`);
    this.addSql(
      `create index \`horarium_run_template_company_id_index\` on \`horarium_run_template\` (\`company_id\`);`,
    );
    this.addSql(`create index \`horarium_run_template_active_index\` on \`horarium_run_template\` (\`active\`);`);
    this.addSql(`create index \`horarium_run_template_name_index\` on \`horarium_run_template\` (\`name\`);`);
    this.addSql(`create index \`horarium_run_template_code_index\` on \`horarium_run_template\` (\`code\`);`);
    this.addSql(
      `create unique index \`horarium_run_template_ping_hash_unique\` on \`horarium_run_template\` (\`ping_hash\`);`,
    );
    this.addSql(
      `create unique index \`horarium_run_template_company_id_code_unique\` on \`horarium_run_template\` (\`company_id\`, \`code\`);`,
    );
    this.addSql(
      `create table \`horarium_event_rule\` (\`id\` integer not null primary key autoincrement, \`revision\` integer not null, \`created_at\` integer not null, \`updated_at\` integer not null, \`name\` text null, \`company_id\` integer null, \`event_source_id\` integer null, \`runtemplate_source_id\` integer null, \`event\` text null, \`evidence\` text null, \`operation\` text not null, \`runtemplate_id\` integer not null, \`priority\` integer not null, \`enabled\` integer not null, \`by_admin\` integer not null, \`env_mapping\` text not null, constraint \`horarium_event_rule_company_id_foreign\` foreign key (\`company_id\`) references \`horarium_company\` (\`id\`) on update no action on delete restrict, constraint \`horarium_event_rule_event_source_id_foreign\` foreign key (\`event_source_id\`) references \`horarium_event_source\` (\`id\`) on update no action on delete restrict, constraint \`horarium_event_rule_runtemplate_source_id_foreign\` foreign key (\`runtemplate_source_id\`) references \`horarium_run_template\` (\`id\`) on update no action on delete restrict, constraint \`horarium_event_rule_runtemplate_id_foreign\` foreign key (\`runtemplate_id\`) references \`horarium_run_template\` (\`id\`) on update no action on delete restrict);`,
    );
    this.addSql(`create index \`horarium_event_rule_created_at_index\` on \`horarium_event_rule\` (\`created_at\`);`);
    this.addSql(`create index \`horarium_event_rule_company_id_index\` on \`horarium_event_rule\` (\`company_id\`);`);
    this.addSql(
      `create index \`horarium_event_rule_event_source_id_index\` on \`horarium_event_rule\` (\`event_source_id\`);`,
    );
    this.addSql(
      `create index \`horarium_event_rule_runtemplate_source_id_index\` on \`horarium_event_rule\` (\`runtemplate_source_id\`);`,
    );
    this.addSql(
      `create index \`horarium_event_rule_runtemplate_id_index\` on \`horarium_event_rule\` (\`runtemplate_id\`);`,
    );
    this.addSql(`create index \`horarium_event_rule_enabled_index\` on \`horarium_event_rule\` (\`enabled\`);`);
    this.addSql(`create index \`horarium_event_rule_name_index\` on \`horarium_event_rule\` (\`name\`);`);
    this.addSql(
      `create table \`horarium_action_subscription\` (\`id\` integer not null primary key autoincrement, \`runtemplate_id\` integer null, \`company_id\` integer null, constraint \`horarium_action_subscription_runtemplate_id_foreign\` foreign key (\`runtemplate_id\`) references \`horarium_run_template\` (\`id\`) on update no action on delete restrict, constraint \`horarium_action_subscription_company_id_foreign\` foreign key (\`company_id\`) references \`horarium_company\` (\`id\`) on update no action on delete restrict);`,
    );
    this.addSql(
      `create unique index \`horarium_action_subscription_runtemplate_id_unique\` on \`horarium_action_subscription\` (\`runtemplate_id\`);`,
    );
    this.addSql(
      `create unique index \`horarium_action_subscription_company_id_unique\` on \`horarium_action_subscription\` (\`company_id\`);`,
    );
    this.addSql(
      `create table \`horarium_schedule\` (\`id\` integer not null primary key autoincrement, \`runtemplate_id\` integer not null, \`company_id\` integer not null, \`next_at\` integer null, \`next_window\` integer null, \`backlog\` text null, \`backlog_at\` integer null, \`last_scheduled_at\` integer null, \`successful_jobs_count\` integer not null, \`failed_jobs_count\` integer not null, \`failures_in_row\` integer not null, \`failing_since\` integer null, constraint \`horarium_schedule_runtemplate_id_foreign\` foreign key (\`runtemplate_id\`) references \`horarium_run_template\` (\`id\`) on update no action on delete restrict);`,
    );
    this.addSql(
      `create index \`horarium_schedule_next_at_company_id_id_index\` on \`horarium_schedule\` (\`next_at\`, \`company_id\`, \`id\`);`,
    );
    this.addSql(
      `create index \`horarium_schedule_company_id_next_at_id_index\` on \`horarium_schedule\` (\`company_id\`, \`next_at\`, \`id\`);`,
    );
    this.addSql(
      `create index \`horarium_schedule_backlog_at_company_id_id_index\` on \`horarium_schedule\` (\`backlog_at\`, \`company_id\`, \`id\`);`,
    );
    this.addSql(
      `create index \`horarium_schedule_company_id_backlog_at_id_index\` on \`horarium_schedule\` (\`company_id\`, \`backlog_at\`, \`id\`);`,
    );
    this.addSql(`create index \`horarium_schedule_company_id_index\` on \`horarium_schedule\` (\`company_id\`);`);
    this.addSql(
      `create unique index \`horarium_schedule_runtemplate_id_unique\` on \`horarium_schedule\` (\`runtemplate_id\`);`,
    );
    this.addSql(
      `create table \`horarium_setting\` (\`id\` integer not null primary key autoincrement, \`name\` text not null, \`value\` text null);`,
    );
    this.addSql(`create unique index \`horarium_setting_name_unique\` on \`horarium_setting\` (\`name\`);`);
    this.addSql(
      `create table \`horarium_task\` (\`id\` integer not null primary key autoincrement, \`revision\` integer not null, \`created_at\` integer not null, \`updated_at\` integer not null, \`runtemplate_id\` integer not null, \`company_id\` integer not null, \`window_start\` integer not null, \`window_end\` integer not null, \`deadline\` integer not null, \`state\` text not null, \`reason\` text null, \`attempts\` integer not null, \`fulfilled_by_job_id\` integer null, \`fulfilled_at\` integer null, \`max_attempts\` integer not null, \`allow_late\` integer not null, \`retry_backoff\` text not null, \`retry_delay\` integer not null, \`retry_max_delay\` integer not null, \`caught_up\` integer not null, \`waived_reason\` text null, \`start_deadline\` integer null, constraint \`horarium_task_runtemplate_id_foreign\` foreign key (\`runtemplate_id\`) references \`horarium_run_template\` (\`id\`) on update no action on delete restrict, constraint \`horarium_task_company_id_foreign\` foreign key (\`company_id\`) references \`horarium_company\` (\`id\`) on update no action on delete restrict);`,
    );
    this.addSql(`create index \`horarium_task_created_at_index\` on \`horarium_task\` (\`created_at\`);`);
    this.addSql(`create index \`horarium_task_runtemplate_id_index\` on \`horarium_task\` (\`runtemplate_id\`);`);
    this.addSql(`create index \`horarium_task_company_id_index\` on \`horarium_task\` (\`company_id\`);`);
    this.addSql(`create index \`horarium_task_window_start_index\` on \`horarium_task\` (\`window_start\`);`);
    this.addSql(`create index \`horarium_task_deadline_index\` on \`horarium_task\` (\`deadline\`);`);
    this.addSql(`create index \`horarium_task_state_id_index\` on \`horarium_task\` (\`state\`, \`id\`);`);
    this.addSql(
      `create index \`horarium_task_start_deadline_company_id_id_index\` on \`horarium_task\` (\`start_deadline\`, \`company_id\`, \`id\`);`,
    );
    this.addSql(
      `create index \`horarium_task_company_id_start_deadline_id_index\` on \`horarium_task\` (\`company_id\`, \`start_deadline\`, \`id\`);`,
    );
    this.addSql(
      `create index \`horarium_task_company_id_window_start_index\` on \`horarium_task\` (\`company_id\`, \`window_start\`);`,
    );
    this.addSql(
      `create index \`horarium_task_fulfilled_by_job_id_index\` on \`horarium_task\` (\`fulfilled_by_job_id\`);`,
    );
    this.addSql(
      `create unique index \`horarium_task_runtemplate_id_window_start_unique\` on \`horarium_task\` (\`runtemplate_id\`, \`window_start\`);`,
    );
    this.addSql(
      `create table \`horarium_topic\` (\`id\` integer not null primary key autoincrement, \`revision\` integer not null, \`created_at\` integer not null, \`updated_at\` integer not null, \`name\` text not null, \`description\` text null, \`color\` text null);`,
    );
    this.addSql(`create index \`horarium_topic_created_at_index\` on \`horarium_topic\` (\`created_at\`);`);
    this.addSql(`create unique index \`horarium_topic_name_unique\` on \`horarium_topic\` (\`name\`);`);
    this.addSql(
      `create table \`horarium_user\` (\`id\` integer not null primary key autoincrement, \`revision\` integer not null, \`created_at\` integer not null, \`updated_at\` integer not null, \`login\` text not null, \`email\` text null, \`first_name\` text null, \`last_name\` text null, \`password\` text null, \`enabled\` integer not null, \`settings\` text not null, \`last_login_at\` integer null);`,
    );
    this.addSql(`create index \`horarium_user_created_at_index\` on \`horarium_user\` (\`created_at\`);`);
    this.addSql(`create index \`horarium_user_email_index\` on \`horarium_user\` (\`email\`);`);
    this.addSql(`create index \`horarium_user_enabled_index\` on \`horarium_user\` (\`enabled\`);`);
    this.addSql(`create unique index \`horarium_user_login_unique\` on \`horarium_user\` (\`login\`);`);
    this.addSql(
      `create table \`horarium_token\` (\`id\` integer not null primary key autoincrement, \`revision\` integer not null, \`created_at\` integer not null, \`updated_at\` integer not null, \`user_id\` integer not null, \`name\` text null, \`kind\` text not null, \`hash\` text not null, \`expires_at\` integer null, \`revoked_at\` integer null, \`last_used_at\` integer null, constraint \`horarium_token_user_id_foreign\` foreign key (\`user_id\`) references \`horarium_user\` (\`id\`) on update no action on delete restrict);`,
    );
    this.addSql(`create index \`horarium_token_created_at_index\` on \`horarium_token\` (\`created_at\`);`);
    this.addSql(`create index \`horarium_token_user_id_index\` on \`horarium_token\` (\`user_id\`);`);
    this.addSql(`create index \`horarium_token_expires_at_index\` on \`horarium_token\` (\`expires_at\`);`);
    this.addSql(`create unique index \`horarium_token_hash_unique\` on \`horarium_token\` (\`hash\`);`);
    this.addSql(
      `create table \`horarium_job\` (\`id\` integer not null primary key autoincrement, \`revision\` integer not null, \`created_at\` integer not null, \`updated_at\` integer not null, \`runtemplate_id\` integer not null, \`app_id\` integer not null, \`company_id\` integer not null, \`task_id\` integer null, \`event_id\` integer null, \`attempt\` integer not null, \`state\` text not null, \`trigger\` text not null, \`launched_by\` integer null, \`scheduled_at\` integer not null, \`started_at\` integer null, \`finished_at\` integer null, \`exit_code\` integer null, \`signal\` text null, \`reason\` text null, \`peak_memory\` integer null, \`command\` text null, \`arguments\` text not null, \`environment\` text not null, \`executor\` text not null, \`worker\` text null, \`pid\` integer null, \`app_version\` text null, \`heartbeat_at\` integer null, \`progress\` integer null, \`message\` text null, \`queue_at\` integer null, \`caught_up\` integer not null, \`rank\` integer not null, \`claims\` integer not null, \`overrides\` text not null, \`input_files\` text null, \`stop_reason\` text null, \`given_secrets\` text null, \`ping_key_hash\` text null, constraint \`horarium_job_runtemplate_id_foreign\` foreign key (\`runtemplate_id\`) references \`horarium_run_template\` (\`id\`) on update no action on delete restrict, constraint \`horarium_job_app_id_foreign\` foreign key (\`app_id\`) references \`horarium_app\` (\`id\`) on update no action on delete restrict, constraint \`horarium_job_company_id_foreign\` foreign key (\`company_id\`) references \`horarium_company\` (\`id\`) on update no action on delete restrict, constraint \`horarium_job_task_id_foreign\` foreign key (\`task_id\`) references \`horarium_task\` (\`id\`) on update no action on delete restrict, constraint \`horarium_job_event_id_foreign\` foreign key (\`event_id\`) references \`horarium_event\` (\`id\`) on update no action on delete restrict, constraint \`horarium_job_launched_by_foreign\` foreign key (\`launched_by\`) references \`horarium_user\` (\`id\`) on update no action on delete restrict);`,
    );
    this.addSql(`create index \`horarium_job_created_at_index\` on \`horarium_job\` (\`created_at\`);`);
    this.addSql(`create index \`horarium_job_app_id_index\` on \`horarium_job\` (\`app_id\`);`);
    this.addSql(`create index \`horarium_job_company_id_index\` on \`horarium_job\` (\`company_id\`);`);
    this.addSql(`create index \`horarium_job_task_id_index\` on \`horarium_job\` (\`task_id\`);`);
    this.addSql(`create index \`horarium_job_event_id_index\` on \`horarium_job\` (\`event_id\`);`);
    this.addSql(`create index \`horarium_job_launched_by_index\` on \`horarium_job\` (\`launched_by\`);`);
    this.addSql(`create index \`horarium_job_scheduled_at_index\` on \`horarium_job\` (\`scheduled_at\`);`);
    this.addSql(
      `create index \`horarium_job_runtemplate_id_state_queue_at_index\` on \`horarium_job\` (\`runtemplate_id\`, \`state\`, \`queue_at\`);`,
    );
    this.addSql(
      `create index \`horarium_job_executor_state_queue_at_id_index\` on \`horarium_job\` (\`executor\`, \`state\`, \`queue_at\`, \`id\`);`,
    );
    this.addSql(
      `create index \`horarium_job_state_company_id_caught_up_rank_queue_at__a6963076\` on \`horarium_job\` (\`state\`, \`company_id\`, \`caught_up\`, \`rank\`, \`queue_at\`, \`id\`, \`executor\`);`,
    );
    this.addSql(`create index \`horarium_job_state_id_index\` on \`horarium_job\` (\`state\`, \`id\`);`);
    this.addSql(`create index \`horarium_job_runtemplate_id_index\` on \`horarium_job\` (\`runtemplate_id\`);`);
    this.addSql(
      `create table \`horarium_job_output\` (\`id\` integer not null primary key autoincrement, \`job_id\` integer not null, \`seq\` integer not null, \`stream\` text not null, \`at\` integer not null, \`data\` blob not null, constraint \`horarium_job_output_job_id_foreign\` foreign key (\`job_id\`) references \`horarium_job\` (\`id\`) on update no action on delete restrict);`,
    );
    this.addSql(`create index \`horarium_job_output_job_id_index\` on \`horarium_job_output\` (\`job_id\`);`);
    this.addSql(
      `create unique index \`horarium_job_output_job_id_seq_unique\` on \`horarium_job_output\` (\`job_id\`, \`seq\`);`,
    );
    this.addSql(
      `create table \`horarium_external_lease\` (\`id\` integer not null primary key autoincrement, \`job_id\` integer not null, \`heartbeat_timeout\` integer null, \`timeout_at\` integer null, \`ends_at\` integer null, \`run_id\` text null, \`output_size\` integer not null, constraint \`horarium_external_lease_job_id_foreign\` foreign key (\`job_id\`) references \`horarium_job\` (\`id\`) on update no action on delete restrict);`,
    );
    this.addSql(`create index \`horarium_external_lease_ends_at_index\` on \`horarium_external_lease\` (\`ends_at\`);`);
    this.addSql(
      `create unique index \`horarium_external_lease_job_id_unique\` on \`horarium_external_lease\` (\`job_id\`);`,
    );
    this.addSql(
      `create table \`horarium_artifact\` (\`id\` integer not null primary key autoincrement, \`revision\` integer not null, \`created_at\` integer not null, \`updated_at\` integer not null, \`job_id\` integer not null, \`company_id\` integer not null, \`filename\` text not null, \`content_type\` text not null, \`size\` integer not null, \`sha256\` text not null, constraint \`horarium_artifact_job_id_foreign\` foreign key (\`job_id\`) references \`horarium_job\` (\`id\`) on update no action on delete restrict, constraint \`horarium_artifact_company_id_foreign\` foreign key (\`company_id\`) references \`horarium_company\` (\`id\`) on update no action on delete restrict);`,
    );
    this.addSql(`create index \`horarium_artifact_created_at_index\` on \`horarium_artifact\` (\`created_at\`);`);
    this.addSql(`create index \`horarium_artifact_job_id_index\` on \`horarium_artifact\` (\`job_id\`);`);
    this.addSql(`create index \`horarium_artifact_company_id_index\` on \`horarium_artifact\` (\`company_id\`);`);
    this.addSql(
      `create table \`horarium_artifact_content\` (\`id\` integer not null primary key autoincrement, \`artifact_id\` integer not null, \`seq\` integer not null, \`content\` blob not null, constraint \`horarium_artifact_content_artifact_id_foreign\` foreign key (\`artifact_id\`) references \`horarium_artifact\` (\`id\`) on update no action on delete restrict);`,
    );
    this.addSql(
      `create index \`horarium_artifact_content_artifact_id_index\` on \`horarium_artifact_content\` (\`artifact_id\`);`,
    );
    this.addSql(
      `create unique index \`horarium_artifact_content_artifact_id_seq_unique\` on \`horarium_artifact_content\` (\`artifact_id\`, \`seq\`);`,
    );
    this.addSql(
      `create table \`horarium_company_user\` (\`id\` integer not null primary key autoincrement, \`revision\` integer not null, \`created_at\` integer not null, \`updated_at\` integer not null, \`company_id\` integer not null, \`user_id\` integer not null, \`role\` text not null, constraint \`horarium_company_user_company_id_foreign\` foreign key (\`company_id\`) references \`horarium_company\` (\`id\`) on update no action on delete restrict, constraint \`horarium_company_user_user_id_foreign\` foreign key (\`user_id\`) references \`horarium_user\` (\`id\`) on update no action on delete restrict);`,
    );
    this.addSql(
      `create index \`horarium_company_user_created_at_index\` on \`horarium_company_user\` (\`created_at\`);`,
    );
    this.addSql(
      `create index \`horarium_company_user_company_id_index\` on \`horarium_company_user\` (\`company_id\`);`,
    );
    this.addSql(`create index \`horarium_company_user_user_id_index\` on \`horarium_company_user\` (\`user_id\`);`);
    this.addSql(
      `create unique index \`horarium_company_user_company_id_user_id_unique\` on \`horarium_company_user\` (\`company_id\`, \`user_id\`);`,
    );
    this.addSql(
      `create table \`horarium_user_roles\` (\`id\` integer not null primary key autoincrement, \`revision\` integer not null, \`created_at\` integer not null, \`updated_at\` integer not null, \`user_id\` integer not null, \`role\` text not null, \`assigned_at\` integer null, \`expires_at\` integer null, constraint \`horarium_user_roles_user_id_foreign\` foreign key (\`user_id\`) references \`horarium_user\` (\`id\`) on update no action on delete restrict);`,
    );
    this.addSql(`create index \`horarium_user_roles_created_at_index\` on \`horarium_user_roles\` (\`created_at\`);`);
    this.addSql(`create index \`horarium_user_roles_user_id_index\` on \`horarium_user_roles\` (\`user_id\`);`);
    this.addSql(
      `create unique index \`horarium_user_roles_user_id_role_unique\` on \`horarium_user_roles\` (\`user_id\`, \`role\`);`,
    );
    this.addSql(
      `create table \`horarium_worker_lease\` (\`id\` integer not null primary key autoincrement, \`name\` text not null, \`host\` text not null, \`pid\` integer not null, \`started_at\` integer not null, \`lease_until\` integer not null, \`capacity\` integer not null, \`executors\` text null, \`vault_keys\` text null);`,
    );
    this.addSql(
      `create index \`horarium_worker_lease_lease_until_index\` on \`horarium_worker_lease\` (\`lease_until\`);`,
    );
    this.addSql(`create unique index \`horarium_worker_lease_name_unique\` on \`horarium_worker_lease\` (\`name\`);`);
  }
}

import { Migration } from '@mikro-orm/migrations';

export class Migration20261125234717_light_queue extends Migration {
  override name = 'Migration20261125234717_light_queue';

  override up(): void {
    this.addSql(`drop index "horarium_credential_credential_type_id_index";`);
    this.addSql(
      `create index "horarium_credential_credential_type_id_present_index" on "horarium_credential" ("credential_type_id") where "credential_type_id" is not null;`,
    );
    this.addSql(`drop index "horarium_delivery_company_id_index";`);
    this.addSql(`drop index "horarium_delivery_digest_id_index";`);
    this.addSql(`drop index "horarium_delivery_job_id_index";`);
    this.addSql(`drop index "horarium_delivery_runtemplate_id_index";`);
    this.addSql(`drop index "horarium_delivery_task_id_index";`);
    this.addSql(
      `create index "horarium_delivery_company_id_present_index" on "horarium_delivery" ("company_id") where "company_id" is not null;`,
    );
    this.addSql(
      `create index "horarium_delivery_runtemplate_id_present_index" on "horarium_delivery" ("runtemplate_id") where "runtemplate_id" is not null;`,
    );
    this.addSql(
      `create index "horarium_delivery_task_id_present_index" on "horarium_delivery" ("task_id") where "task_id" is not null;`,
    );
    this.addSql(
      `create index "horarium_delivery_digest_id_present_index" on "horarium_delivery" ("digest_id") where "digest_id" is not null;`,
    );
    this.addSql(`drop index "horarium_event_company_id_index";`);
    this.addSql(`drop index "horarium_event_event_source_id_index";`);
    this.addSql(`drop index "horarium_event_job_id_index";`);
    this.addSql(`drop index "horarium_event_runtemplate_id_index";`);
    this.addSql(`drop index "horarium_event_task_id_index";`);
    this.addSql(
      `create index "horarium_event_company_id_present_index" on "horarium_event" ("company_id") where "company_id" is not null;`,
    );
    this.addSql(
      `create index "horarium_event_runtemplate_id_present_index" on "horarium_event" ("runtemplate_id") where "runtemplate_id" is not null;`,
    );
    this.addSql(
      `create index "horarium_event_job_id_present_index" on "horarium_event" ("job_id") where "job_id" is not null;`,
    );
    this.addSql(
      `create index "horarium_event_task_id_present_index" on "horarium_event" ("task_id") where "task_id" is not null;`,
    );
    this.addSql(`drop index "horarium_run_template_company_id_index";`);
    this.addSql(`drop index "horarium_event_rule_company_id_index";`);
    this.addSql(`drop index "horarium_event_rule_event_source_id_index";`);
    this.addSql(`drop index "horarium_event_rule_runtemplate_source_id_index";`);
    this.addSql(
      `create index "horarium_event_rule_company_id_present_index" on "horarium_event_rule" ("company_id") where "company_id" is not null;`,
    );
    this.addSql(
      `create index "horarium_event_rule_event_source_id_present_index" on "horarium_event_rule" ("event_source_id") where "event_source_id" is not null;`,
    );
    this.addSql(
      `create index "horarium_event_rule_runtemplate_source_id_present_index" on "horarium_event_rule" ("runtemplate_source_id") where "runtemplate_source_id" is not null;`,
    );
    this.addSql(`drop index "horarium_schedule_backlog_at_company_id_id_index";`);
    this.addSql(`drop index "horarium_schedule_company_id_backlog_at_id_index";`);
    this.addSql(`drop index "horarium_schedule_company_id_index";`);
    this.addSql(`drop index "horarium_schedule_company_id_next_at_id_index";`);
    this.addSql(`drop index "horarium_schedule_next_at_company_id_id_index";`);
    this.addSql(
      `create index "horarium_schedule_next_at_company_id_id_present_index" on "horarium_schedule" ("next_at", "company_id", "id") where "next_at" is not null;`,
    );
    this.addSql(
      `create index "horarium_schedule_company_id_next_at_id_present_index" on "horarium_schedule" ("company_id", "next_at", "id") where "next_at" is not null;`,
    );
    this.addSql(
      `create index "horarium_schedule_backlog_at_company_id_id_present_index" on "horarium_schedule" ("backlog_at", "company_id", "id") where "backlog_at" is not null;`,
    );
    this.addSql(
      `create index "horarium_schedule_company_id_backlog_at_id_present_index" on "horarium_schedule" ("company_id", "backlog_at", "id") where "backlog_at" is not null;`,
    );
    this.addSql(`drop index "horarium_task_company_id_index";`);
    this.addSql(`drop index "horarium_task_company_id_start_deadline_id_index";`);
    this.addSql(`drop index "horarium_task_fulfilled_by_job_id_index";`);
    this.addSql(`drop index "horarium_task_runtemplate_id_index";`);
    this.addSql(`drop index "horarium_task_start_deadline_company_id_id_index";`);
    this.addSql(
      `create index "horarium_task_start_deadline_company_id_id_present_index" on "horarium_task" ("start_deadline", "company_id", "id") where "start_deadline" is not null;`,
    );
    this.addSql(
      `create index "horarium_task_company_id_start_deadline_id_present_index" on "horarium_task" ("company_id", "start_deadline", "id") where "start_deadline" is not null;`,
    );
    this.addSql(`drop index "horarium_job_company_id_index";`);
    this.addSql(`drop index "horarium_job_event_id_index";`);
    this.addSql(`drop index "horarium_job_executor_state_queue_at_id_index";`);
    this.addSql(`drop index "horarium_job_launched_by_index";`);
    this.addSql(`drop index "horarium_job_runtemplate_id_index";`);
    this.addSql(`drop index "horarium_job_state_company_id_caught_up_rank_queue_at__a6963076";`);
    this.addSql(`drop index "horarium_job_task_id_index";`);
    this.addSql(
      `create index "horarium_job_task_id_present_index" on "horarium_job" ("task_id") where "task_id" is not null;`,
    );
    this.addSql(
      `create index "horarium_job_event_id_present_index" on "horarium_job" ("event_id") where "event_id" is not null;`,
    );
    this.addSql(
      `create index "horarium_job_launched_by_present_index" on "horarium_job" ("launched_by") where "launched_by" is not null;`,
    );
    this.addSql(`create index "horarium_job_company_id_state_index" on "horarium_job" ("company_id", "state");`);
    this.addSql(`create index "horarium_job_executor_id_index" on "horarium_job" ("executor", "id");`);
    this.addSql(
      `create index "horarium_job_queue_at_id_executor_company_id_present_index" on "horarium_job" ("queue_at", "id", "executor", "company_id") where "queue_at" is not null;`,
    );
    this.addSql(
      `create index "horarium_job_company_id_caught_up_rank_queue_at_id_exe_0d5c6c90" on "horarium_job" ("company_id", "caught_up", "rank", "queue_at", "id", "executor") where "queue_at" is not null;`,
    );
    this.addSql(`drop index "horarium_job_output_job_id_index";`);
    this.addSql(`drop index "horarium_artifact_content_artifact_id_index";`);
    this.addSql(`drop index "horarium_company_user_company_id_index";`);
    this.addSql(`drop index "horarium_user_roles_user_id_index";`);
    this.addSql(`alter table "horarium_worker_lease" add "lost_at" timestamptz(3) null;`);
  }
}

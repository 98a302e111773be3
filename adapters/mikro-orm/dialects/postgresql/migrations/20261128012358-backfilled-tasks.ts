import { Migration } from '@mikro-orm/migrations';

export class Migration20261128012358_backfilled_tasks extends Migration {
  override name = 'Migration20261128012358_backfilled_tasks';

  override up(): void {
    this.addSql(`drop index "horarium_task_ended_at_state_company_id_present_index";`);
    this.addSql(`alter table "horarium_task" add "backfilled" boolean not null default false;`);
    this.addSql(
      `create index "horarium_task_ended_at_state_company_id_backfilled_pre_b812f944" on "horarium_task" ("ended_at", "state", "company_id", "backfilled") where "ended_at" is not null;`,
    );
  }
}

import { Migration } from '@mikro-orm/migrations';

export class Migration20261129203059_ended_tasks_by_state extends Migration {
  override name = 'Migration20261129203059_ended_tasks_by_state';

  override up(): void {
    this.addSql(`drop index \`horarium_task_ended_at_state_company_id_backfilled_pre_b812f944\`;`);
    this.addSql(
      `create index \`horarium_task_state_ended_at_company_id_backfilled_pre_809cce2a\` on \`horarium_task\` (\`state\`, \`ended_at\`, \`company_id\`, \`backfilled\`) where "ended_at" is not null;`,
    );
  }
}

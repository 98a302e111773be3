import { Migration } from '@mikro-orm/migrations';

export class Migration20261121231848_queue_by_executor extends Migration {
  override name = 'Migration20261121231848_queue_by_executor';

  override up(): void {
    this.addSql(`drop index \`job_state_queue_at_id_index\`;`);
    this.addSql(
      `create index \`job_executor_state_queue_at_id_index\` on \`job\` (\`executor\`, \`state\`, \`queue_at\`, \`id\`);`,
    );
  }
}

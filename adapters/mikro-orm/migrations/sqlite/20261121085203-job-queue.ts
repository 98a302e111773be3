import { Migration } from '@mikro-orm/migrations';

export class Migration20261121085203_job_queue extends Migration {
  override name = 'Migration20261121085203_job_queue';

  override up(): void {
    this.addSql(`drop index \`job_state_worker_index\`;`);
    this.addSql(`drop index \`job_queue_at_index\`;`);
    this.addSql(`create index \`job_state_queue_at_index\` on \`job\` (\`state\`, \`queue_at\`);`);
    this.addSql(`create index \`job_state_id_index\` on \`job\` (\`state\`, \`id\`);`);
  }
}

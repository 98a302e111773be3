import { Migration } from '@mikro-orm/migrations';

export class Migration20261121093433_queue_order extends Migration {
  override name = 'Migration20261121093433_queue_order';

  override up(): void {
    this.addSql(`drop index "schedule_next_at_index";`);
    this.addSql(`create index "schedule_next_at_id_index" on "schedule" ("next_at", "id");`);
    this.addSql(`drop index "task_last_start_index";`);
    this.addSql(`create index "task_last_start_id_index" on "task" ("last_start", "id");`);
    this.addSql(`drop index "job_state_queue_at_index";`);
    this.addSql(`create index "job_state_queue_at_id_index" on "job" ("state", "queue_at", "id");`);
  }
}

import { Migration } from '@mikro-orm/migrations';

export class Migration20261127023334_task_end extends Migration {
  override name = 'Migration20261127023334_task_end';

  override up(): void {
    this.addSql(
      `alter table "horarium_schedule" add "duration_mean" bigint null, add "duration_deviation" bigint null;`,
    );
    this.addSql(`drop index "horarium_task_deadline_index";`);
    this.addSql(`alter table "horarium_task" add "ended_at" timestamptz(3) null;`);
    // Final states never change, so that the last change of such a Task was its end.
    this.addSql(
      `update horarium_task set ended_at = coalesce(fulfilled_at, updated_at) where state not in ('open', 'running');`,
    );
    this.addSql(
      `create index "horarium_task_ended_at_state_company_id_present_index" on "horarium_task" ("ended_at", "state", "company_id") where "ended_at" is not null;`,
    );
  }
}

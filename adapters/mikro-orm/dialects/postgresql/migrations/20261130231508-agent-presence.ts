import { Migration } from '@mikro-orm/migrations';

export class Migration20261130231508_agent_presence extends Migration {
  override name = 'Migration20261130231508_agent_presence';

  override up(): void {
    this.addSql(
      `alter table "horarium_agent_presence" add "stopped" boolean not null default false, add "second_process_at" timestamptz(3) null;`,
    );
  }
}

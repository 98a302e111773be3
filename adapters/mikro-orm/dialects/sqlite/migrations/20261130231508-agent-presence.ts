import { Migration } from '@mikro-orm/migrations';

export class Migration20261130231508_agent_presence extends Migration {
  override name = 'Migration20261130231508_agent_presence';

  override up(): void {
    this.addSql(`alter table \`horarium_agent_presence\` add column \`stopped\` integer not null default 0;`);
    this.addSql(`alter table \`horarium_agent_presence\` add column \`second_process_at\` integer null;`);
  }
}

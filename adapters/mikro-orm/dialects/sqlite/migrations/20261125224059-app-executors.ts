import { Migration } from '@mikro-orm/migrations';

export class Migration20261125224059_app_executors extends Migration {
  override name = 'Migration20261125224059_app_executors';

  override up(): void {
    this.addSql(`alter table \`horarium_app\` add column \`executors\` text not null default '[]';`);
  }
}

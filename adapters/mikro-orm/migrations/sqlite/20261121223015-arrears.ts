import { Migration } from '@mikro-orm/migrations';

export class Migration20261121223015_arrears extends Migration {
  override name = 'Migration20261121223015_arrears';

  override up(): void {
    this.addSql(`alter table \`schedule\` add column \`arrears\` text null;`);
  }
}

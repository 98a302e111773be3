import { Migration } from '@mikro-orm/migrations';

export class Migration20261121223016_arrears extends Migration {
  override name = 'Migration20261121223016_arrears';

  override up(): void {
    this.addSql(`alter table "schedule" add "arrears" json null;`);
  }
}

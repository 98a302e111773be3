import { Migration } from '@mikro-orm/migrations';

export class Migration20261130072026_token_revoked_at extends Migration {
  override name = 'Migration20261130072026_token_revoked_at';

  override up(): void {
    this.addSql(`create index "horarium_token_revoked_at_index" on "horarium_token" ("revoked_at");`);
  }
}

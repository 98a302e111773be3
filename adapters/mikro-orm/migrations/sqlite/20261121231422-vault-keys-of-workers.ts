import { Migration } from '@mikro-orm/migrations';

export class Migration20261121231422_vault_keys_of_workers extends Migration {
  override name = 'Migration20261121231422_vault_keys_of_workers';

  override up(): void {
    this.addSql(`alter table \`worker\` add column \`vault_keys\` text null;`);
  }
}

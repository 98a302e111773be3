import { Migration } from '@mikro-orm/migrations';

export class Migration20261125233551_listed_actions extends Migration {
  override name = 'Migration20261125233551_listed_actions';

  override up(): void {
    this.addSql(`alter table "horarium_delivery" add "listed_id" text collate "C" not null default '0';`);
    // Actions that were saved without an id have their position.
    this.addSql(`update "horarium_delivery" set "listed_id" = cast("place" as text);`);
    this.addSql(`alter table "horarium_delivery" drop column "place";`);
  }
}

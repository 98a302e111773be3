import { Migration } from '@mikro-orm/migrations';

export class Migration20261126000914_event_tries extends Migration {
  override name = 'Migration20261126000914_event_tries';

  override up(): void {
    this.addSql(
      `alter table "horarium_event" add "tries" bigint not null default 0, add "claimed_until" timestamptz(3) null;`,
    );
    this.addSql(`create index "horarium_event_kind_event_id_index" on "horarium_event" ("kind", "event", "id");`);
  }
}

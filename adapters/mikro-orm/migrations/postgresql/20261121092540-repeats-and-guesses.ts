import { Migration } from '@mikro-orm/migrations';

export class Migration20261121092540_repeats_and_guesses extends Migration {
  override name = 'Migration20261121092540_repeats_and_guesses';

  override up(): void {
    this.addSql(
      `create table "guess" ("id" bigserial primary key, "key" text collate "C" not null, "wrong" bigint not null, "closed_until" timestamptz(3) null, "right_at" timestamptz(3) null, "at" timestamptz(3) not null);`,
    );
    this.addSql(`create index "guess_at_index" on "guess" ("at");`);
    this.addSql(`alter table "guess" add constraint "guess_key_unique" unique ("key");`);
    this.addSql(
      `create table "repeat" ("id" bigserial primary key, "scope" text collate "C" not null, "content" text collate "C" not null, "at" timestamptz(3) not null, "status" bigint not null, "headers" json not null, "body" bytea null, "subject" json null);`,
    );
    this.addSql(`create index "repeat_at_index" on "repeat" ("at");`);
    this.addSql(`alter table "repeat" add constraint "repeat_scope_unique" unique ("scope");`);
  }
}

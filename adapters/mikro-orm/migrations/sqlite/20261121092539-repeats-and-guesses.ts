import { Migration } from '@mikro-orm/migrations';

export class Migration20261121092539_repeats_and_guesses extends Migration {
  override name = 'Migration20261121092539_repeats_and_guesses';

  override up(): void {
    this.addSql(
      `create table \`guess\` (\`id\` integer not null primary key autoincrement, \`key\` text not null, \`wrong\` integer not null, \`closed_until\` integer null, \`right_at\` integer null, \`at\` integer not null);`,
    );
    this.addSql(`create index \`guess_at_index\` on \`guess\` (\`at\`);`);
    this.addSql(`create unique index \`guess_key_unique\` on \`guess\` (\`key\`);`);
    this.addSql(
      `create table \`repeat\` (\`id\` integer not null primary key autoincrement, \`scope\` text not null, \`content\` text not null, \`at\` integer not null, \`status\` integer not null, \`headers\` text not null, \`body\` blob null, \`subject\` text null);`,
    );
    this.addSql(`create index \`repeat_at_index\` on \`repeat\` (\`at\`);`);
    this.addSql(`create unique index \`repeat_scope_unique\` on \`repeat\` (\`scope\`);`);
  }
}

import { Migration } from '@mikro-orm/migrations';

/** Selects the rows that stay: one for each owner and day. */
const firsts = 'select min(id) from horarium_daily_usage group by owner, day';

/** Sets a count to the sum of what all writers had counted. */
const sumOfDay = (column: string) =>
  `${column} = (select sum(other.${column}) from horarium_daily_usage other where other.owner = horarium_daily_usage.owner and other.day = horarium_daily_usage.day)`;

export class Migration20261126021800_one_usage_row extends Migration {
  override name = 'Migration20261126021800_one_usage_row';

  override up(): void {
    this.addSql(
      `update horarium_daily_usage set ${['output', 'artifacts', 'changes'].map(sumOfDay).join(', ')} where id in (${firsts});`,
    );
    this.addSql(`delete from horarium_daily_usage where id not in (${firsts});`);
    this.addSql(`drop index \`horarium_daily_usage_owner_day_writer_unique\`;`);
    this.addSql(`alter table \`horarium_daily_usage\` drop column \`writer\`;`);
    this.addSql(
      `create unique index \`horarium_daily_usage_owner_day_unique\` on \`horarium_daily_usage\` (\`owner\`, \`day\`);`,
    );
  }
}

import { RowMigration } from '../../../schema/row-migration.ts';

/** Moves the addresses and runs of pings into the tables of the plugin `pings`, which makes them where there are none. */
export class Migration20261126072700_moved_pings extends RowMigration {
  override name = 'Migration20261126072700_moved_pings';

  override async up(): Promise<void> {
    const addresses = `from horarium_run_template where ping_hash is not null`;
    if ((await this.run(`select 1 ${addresses} limit 1`)).length > 0) {
      await this.run(
        `create table horarium_ping_address (id integer not null primary key autoincrement, record_id integer not null, pings_since integer null, ping_hash text null)`,
      );
      await this.run(`create unique index horarium_ping_address_record_id_unique on horarium_ping_address (record_id)`);
      await this.run(`create unique index horarium_ping_address_ping_hash_unique on horarium_ping_address (ping_hash)`);
      await this.run(
        `insert into horarium_ping_address (record_id, pings_since, ping_hash) select id, pings_since, ping_hash ${addresses}`,
      );
    }
    const runs = `from horarium_external_lease where run_id is not null`;
    if ((await this.run(`select 1 ${runs} limit 1`)).length > 0) {
      await this.run(
        `create table horarium_ping_run (id integer not null primary key autoincrement, record_id integer not null, run_id text not null)`,
      );
      await this.run(`create unique index horarium_ping_run_record_id_unique on horarium_ping_run (record_id)`);
      await this.run(`insert into horarium_ping_run (record_id, run_id) select job_id, run_id ${runs}`);
    }
    this.addSql(`drop index \`horarium_run_template_ping_hash_unique\`;`);
    this.addSql(`alter table \`horarium_run_template\` drop column \`pings_since\`;`);
    this.addSql(`alter table \`horarium_run_template\` drop column \`ping_hash\`;`);
    this.addSql(`alter table \`horarium_external_lease\` drop column \`run_id\`;`);
  }
}

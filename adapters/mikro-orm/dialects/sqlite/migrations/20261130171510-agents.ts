import { Migration } from '@mikro-orm/migrations';

export class Migration20261130171510_agents extends Migration {
  override name = 'Migration20261130171510_agents';

  override up(): void {
    this.addSql(
      `create table \`horarium_agent_presence\` (\`id\` integer not null primary key autoincrement, \`agent\` text not null, \`pools\` text not null default '{}', \`labels\` text not null default '{}', \`executors\` text not null default '[]', \`slots\` integer not null default 0, \`version\` text null, \`seen_at\` integer not null, \`alive_until\` integer not null);`,
    );
    this.addSql(
      `create index \`horarium_agent_presence_alive_until_index\` on \`horarium_agent_presence\` (\`alive_until\`);`,
    );
    this.addSql(
      `create unique index \`horarium_agent_presence_agent_unique\` on \`horarium_agent_presence\` (\`agent\`);`,
    );
    this.addSql(
      `create table \`horarium_agent_lease\` (\`id\` integer not null primary key autoincrement, \`job_id\` integer not null, \`agent\` text not null, \`claim\` text not null, \`ends_at\` integer not null, \`reported\` integer not null default 0, \`output_size\` integer not null default 0, \`kept\` text null, \`artifact_id\` integer null, \`artifact_left\` integer not null default 0, \`artifact_pieces\` integer not null default 0, \`unstored\` integer not null default 0, \`unstored_reason\` text null, constraint \`horarium_agent_lease_job_id_foreign\` foreign key (\`job_id\`) references \`horarium_job\` (\`id\`) on update no action on delete restrict);`,
    );
    this.addSql(`create index \`horarium_agent_lease_agent_index\` on \`horarium_agent_lease\` (\`agent\`);`);
    this.addSql(`create index \`horarium_agent_lease_claim_index\` on \`horarium_agent_lease\` (\`claim\`);`);
    this.addSql(`create index \`horarium_agent_lease_ends_at_index\` on \`horarium_agent_lease\` (\`ends_at\`);`);
    this.addSql(`create unique index \`horarium_agent_lease_job_id_unique\` on \`horarium_agent_lease\` (\`job_id\`);`);
    this.addSql(`alter table \`horarium_run_template\` add column \`placement\` text null;`);
    this.addSql(`alter table \`horarium_job\` add column \`placement\` text null;`);
    this.addSql(
      `create index \`horarium_job_placement_company_id_caught_up_rank_queue_a5a85b9a\` on \`horarium_job\` (\`placement\`, \`company_id\`, \`caught_up\`, \`rank\`, \`queue_at\`, \`id\`) where "queue_at" is not null and "placement" is not null;`,
    );
  }
}

import { Migration } from '@mikro-orm/migrations';

export class Migration20261130171510_agents extends Migration {
  override name = 'Migration20261130171510_agents';

  override up(): void {
    this.addSql(
      `create table "horarium_agent_presence" ("id" bigserial primary key, "agent" text collate "C" not null, "pools" json not null default '{}', "labels" json not null default '{}', "executors" json not null default '[]', "slots" bigint not null default 0, "version" text collate "C" null, "seen_at" timestamptz(3) not null, "alive_until" timestamptz(3) not null);`,
    );
    this.addSql(
      `create index "horarium_agent_presence_alive_until_index" on "horarium_agent_presence" ("alive_until");`,
    );
    this.addSql(
      `alter table "horarium_agent_presence" add constraint "horarium_agent_presence_agent_unique" unique ("agent");`,
    );
    this.addSql(
      `create table "horarium_agent_lease" ("id" bigserial primary key, "job_id" bigint not null, "agent" text collate "C" not null, "claim" text collate "C" not null, "ends_at" timestamptz(3) not null, "reported" bigint not null default 0, "output_size" bigint not null default 0, "kept" text collate "C" null, "artifact_id" bigint null, "artifact_left" bigint not null default 0, "artifact_pieces" bigint not null default 0, "unstored" bigint not null default 0, "unstored_reason" text collate "C" null);`,
    );
    this.addSql(`create index "horarium_agent_lease_agent_index" on "horarium_agent_lease" ("agent");`);
    this.addSql(`create index "horarium_agent_lease_claim_index" on "horarium_agent_lease" ("claim");`);
    this.addSql(`create index "horarium_agent_lease_ends_at_index" on "horarium_agent_lease" ("ends_at");`);
    this.addSql(
      `alter table "horarium_agent_lease" add constraint "horarium_agent_lease_job_id_unique" unique ("job_id");`,
    );
    this.addSql(`alter table "horarium_run_template" add "placement" text collate "C" null;`);
    this.addSql(`alter table "horarium_job" add "placement" text collate "C" null;`);
    this.addSql(
      `create index "horarium_job_placement_company_id_caught_up_rank_queue_a5a85b9a" on "horarium_job" ("placement", "company_id", "caught_up", "rank", "queue_at", "id") where "queue_at" is not null and "placement" is not null;`,
    );
    this.addSql(
      `alter table "horarium_agent_lease" add constraint "horarium_agent_lease_job_id_foreign" foreign key ("job_id") references "horarium_job" ("id") on update no action on delete restrict;`,
    );
  }
}

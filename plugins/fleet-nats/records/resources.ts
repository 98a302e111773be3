import type { PluginResource } from '@horarium/core/plugin';
import { Agent } from './agent.ts';
import { Pool } from './pool.ts';

const records = {
  sqlite: `id integer not null primary key autoincrement,
           revision integer not null default 1,
           created_at integer not null,
           updated_at integer not null`,
  postgresql: `id bigserial primary key,
               revision bigint not null default 1,
               created_at timestamptz(3) not null,
               updated_at timestamptz(3) not null`,
};

/** Pools and agents, with their tables. */
export const fleetResources: readonly PluginResource[] = [
  {
    resource: Pool,
    migrations: [
      {
        name: '20261130-pool',
        sqlite: [
          `create table horarium_pool (
             ${records.sqlite},
             name text not null,
             companies text not null default '[]',
             note text null
           )`,
          'create index horarium_pool_created_at_index on horarium_pool (created_at)',
          'create unique index horarium_pool_name_unique on horarium_pool (name)',
        ],
        postgresql: [
          `create table horarium_pool (
             ${records.postgresql},
             name text collate "C" not null,
             companies json not null default '[]',
             note text collate "C" null,
             constraint horarium_pool_name_unique unique (name)
           )`,
          'create index horarium_pool_created_at_index on horarium_pool (created_at)',
        ],
      },
    ],
  },
  {
    resource: Agent,
    migrations: [
      {
        name: '20261130-agent',
        sqlite: [
          `create table horarium_agent (
             ${records.sqlite},
             name text not null,
             pools text not null default '[]',
             nkey text not null,
             xkey text not null,
             state text not null default 'active',
             expires_at integer null,
             note text null
           )`,
          'create index horarium_agent_created_at_index on horarium_agent (created_at)',
          'create unique index horarium_agent_name_unique on horarium_agent (name)',
          'create unique index horarium_agent_nkey_unique on horarium_agent (nkey)',
        ],
        postgresql: [
          `create table horarium_agent (
             ${records.postgresql},
             name text collate "C" not null,
             pools json not null default '[]',
             nkey text collate "C" not null,
             xkey text collate "C" not null,
             state text collate "C" not null default 'active',
             expires_at timestamptz(3) null,
             note text collate "C" null,
             constraint horarium_agent_name_unique unique (name),
             constraint horarium_agent_nkey_unique unique (nkey)
           )`,
          'create index horarium_agent_created_at_index on horarium_agent (created_at)',
        ],
      },
      {
        name: '20261130-agent-keys',
        sqlite: [
          'alter table horarium_agent add column issued_at integer null',
          'alter table horarium_agent add column previous_xkey text null',
        ],
        postgresql: [
          `alter table horarium_agent
             add column issued_at timestamptz(3) null,
             add column previous_xkey text collate "C" null`,
        ],
      },
    ],
  },
];

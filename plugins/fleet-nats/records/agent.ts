import {
  agentPresenceStates,
  byRole,
  choice,
  defineResource,
  formatInstant,
  HorariumError,
  type Instant,
  instant,
  isAgentInUse,
  type Milliseconds,
  placeName,
  readAgentHealth,
  refs,
  type Tables,
  text,
} from '@horarium/core/plugin';
import { sealingKey, signingKey } from '../wire/keys/keys.ts';
import { Pool } from './pool.ts';

/** What an agent may do: claim jobs; end those that it runs; nothing at all. */
const agentStates = ['active', 'draining', 'revoked'] as const;

/** A machine that runs jobs, as an admin has let it join. */
export const Agent = defineResource({
  name: 'Agent',
  names: { singular: 'agent', plural: 'agents', id: 'agentId' },
  description: 'A machine without the database that runs the jobs of its pools.',
  example: {
    name: 'gpu1',
    pools: [1],
    nkey: 'UDXB5ZLBH2XNV6KFAIYTFYTBWKVSW5ZHMTUTSZLW2A4JHL5RK6DGWYBM',
    xkey: 'XDXB5ZLBH2XNV6KFAIYTFYTBWKVSW5ZHMTUTSZLW2A4JHL5RK6DGWYBM',
  },
  operations: ['list', 'get', 'save', 'delete'],
  permissions: byRole({ read: 'admin', write: 'admin' }),
  company: null,
  key: ['name'],
  summaryFields: ['id', 'name', 'pools', 'state', 'presence', 'seen_at', 'expires_at', 'note'],
  fields: {
    name: text(63, { unique: true, immutable: true, description: 'Its name, such as gpu1: a-z, 0-9 and dashes.' })
      .matches(placeName, ({ path }: { path: string }) => `${path} must be a name such as gpu1: a-z, 0-9 and dashes`)
      .required(),
    pools: refs('Pool', { max: 64, description: 'The pools whose jobs it runs.' }),
    nkey: text(56, { unique: true, description: 'The public NKey by which it signs, and joins NATS.' })
      .matches(
        /^U[A-Z2-7]{55}$/,
        ({ path }: { path: string }) => `${path} must be the public NKey of a user: U and 55 characters`,
      )
      .required(),
    xkey: text(56, { description: 'The public XKey that messages to it are encrypted to.' })
      .matches(/^X[A-Z2-7]{55}$/, ({ path }: { path: string }) => `${path} must be a public XKey: X and 55 characters`)
      .required(),
    state: choice(agentStates, {
      description: 'What it may do.',
      meanings: {
        active: 'it claims jobs',
        draining: 'it ends those that it runs, and claims no others',
        revoked: 'its credential is not good any more, and its attempts are lost',
      },
    })
      .default('active')
      .nonNullable(),
    issued_at: instant({ readOnly: true, description: 'When it got the keys that it has.' }),
    expires_at: instant({ description: 'From when on its credential is not good any more; null = it stays good.' }),
    previous_xkey: text(56, {
      readOnly: true,
      hidden: true,
      description: 'The XKey that it had before, by which a process that has the old keys is told to end.',
    }),
    note: text(65_535, { description: 'Remarks for operators.' }),
  },
  computed: [
    {
      fields: {
        presence: choice(agentPresenceStates, {
          description: 'Whether it runs.',
          meanings: {
            alive: 'it sends heartbeats',
            silent: 'its heartbeats have ceased, and it did not say that it ends',
            stopped: 'it said that it ends, or was revoked',
            'never seen': 'it has not joined yet',
          },
        }),
        seen_at: instant({ description: 'When a host saw it last; null = none has.' }),
      },
      load: async (tables, agents) =>
        (await readAgentHealth(tables, agents)).map(({ presence, seen_at }) => ({
          presence,
          seen_at: seen_at && formatInstant(seen_at),
        })),
    },
  ],
  reactions: [
    async ({ before, after }, tables) => {
      if (before && !after) await refuseDeletionInUse(tables, before.name);
    },
  ],
  async check(row, { before, errors, tables }) {
    const isRenewed = before !== undefined && (before.nkey !== row.nkey || before.xkey !== row.xkey);
    if (!before || isRenewed) row.issued_at = await tables.now();
    if (isRenewed) row.previous_xkey = before.xkey;
    if (isRenewed && before.state === 'revoked')
      errors.push({
        field: 'nkey',
        message: 'a revoked agent gets no other keys: enroll the machine under another name',
      });
    if (before?.state === 'revoked' && row.state !== 'revoked')
      errors.push({ field: 'state', message: 'state of a revoked agent stays: enroll the machine under another name' });
    for (const [field, read] of [
      ['nkey', signingKey],
      ['xkey', sealingKey],
    ] as const)
      try {
        read(row[field]);
      } catch {
        errors.push({ field, message: `${field} is no public key: its checksum is wrong` });
      }
    if (row.pools.length === 0) errors.push({ field: 'pools', message: 'pools must name one pool at least' });
  },
});
export type AgentRow = NonNullable<(typeof Agent)['$row']>;

/**
 * Refuses to delete an agent that is alive or may run jobs: hosts drop what an unknown one says, and could not tell it to stop, so that
 * a retry would run beside its job.
 */
async function refuseDeletionInUse(tables: Tables, name: string): Promise<void> {
  if (!(await isAgentInUse(tables, name))) return;
  throw new HorariumError(
    'conflict',
    `The agent ${name} is alive or may run jobs: agent:revoke it, and delete it once worker:list does not show it.`,
  );
}

/** Reads an agent by its name; undefined = there is none. */
export async function findAgent(tables: Tables, name: string): Promise<AgentRow | undefined> {
  const [agent] = await tables.of(Agent).find({ where: [['name', '=', name]], limit: 1 });
  return agent;
}

/** Returns why the credential of an agent is not good, as a sentence; null = it is. */
export function credentialRefusal(agent: Pick<AgentRow, 'name' | 'state' | 'expires_at'>, now: Instant): string | null {
  if (agent.state === 'revoked') return `The agent ${agent.name} was revoked.`;
  if (agent.expires_at !== null && agent.expires_at <= now)
    return `The credential of the agent ${agent.name} has expired: an admin renews it (agent:enroll --renew) or prolongs it (agent:save --expires-at).`;
  return null;
}

/** A credential is to be renewed this long before its end, or when a third of its time is left, whichever comes later. */
const renewalTime: Milliseconds = 14 * 86_400_000;

/** Returns for how long the credential of an agent stays good, where it is time to renew it; null = it is not. */
export function expiresIn({ issued_at, expires_at }: AgentRow, now: Instant): Milliseconds | null {
  if (expires_at === null) return null;
  const remaining = Math.max(0, expires_at - now);
  const third = issued_at === null ? renewalTime : (expires_at - issued_at) / 3;
  return remaining <= Math.min(renewalTime, third) ? remaining : null;
}

/** The pools of an agent, each with the companies whose jobs it may run there; null = all of them. */
export type AgentPools = ReadonlyMap<string, ReadonlySet<number> | null>;

/** Reads the pools of agents, by the id of the agent. */
export async function readPools(
  tables: Tables,
  agents: readonly Pick<AgentRow, 'id' | 'pools'>[],
): Promise<ReadonlyMap<number, AgentPools>> {
  const ids = [...new Set(agents.flatMap(({ pools }) => pools))];
  const pools = new Map((await tables.of(Pool).find({ where: [['id', 'in', ids]] })).map((pool) => [pool.id, pool]));
  const companiesOf = (id: number) => {
    const pool = pools.get(id);
    return pool ? [[pool.name, pool.companies.length === 0 ? null : new Set(pool.companies)] as const] : [];
  };
  return new Map(agents.map((agent) => [agent.id, new Map(agent.pools.flatMap(companiesOf))]));
}

/** Reads the pools of one agent. */
export async function poolsOf(tables: Tables, agent: Pick<AgentRow, 'id' | 'pools'>): Promise<AgentPools> {
  return (await readPools(tables, [agent])).get(agent.id) ?? new Map();
}

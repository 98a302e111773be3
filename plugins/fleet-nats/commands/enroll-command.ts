import { readFileSync } from 'node:fs';
import {
  type Actor,
  defineCommand,
  flag,
  HorariumError,
  type PluginCore,
  type PluginSetup,
  parseTtl,
  type Tables,
  text,
  texts,
} from '@horarium/core/plugin';
import { hostKeys } from '../host/fleet-service.ts';
import type { FleetOptions, fleetOptions } from '../host/settings.ts';
import { Agent, findAgent, poolsOf } from '../records/agent.ts';
import { Pool } from '../records/pool.ts';
import { encodeCredential } from '../wire/keys/credential.ts';
import { PrivateKeys } from '../wire/keys/keys.ts';
import { agentPermissions, authorizationBlock, type NatsUser } from '../wire/nats/permissions.ts';
import { signUserJwt } from '../wire/nats/user-jwt.ts';
import { Subjects } from '../wire/subjects.ts';

/** `agent:enroll NAME` */
export const enrollCommand = ({ options: settings, clock }: PluginSetup<typeof fleetOptions>) =>
  defineCommand({
    name: 'agent:enroll',
    summary:
      'Let a machine join as an agent, or renew its keys: print its credential, once. The permissions for the configuration of NATS follow on standard error.',
    group: 'Notices, events and work elsewhere:',
    arguments: { name: text(63, { description: 'its name, such as gpu1' }).required() },
    options: {
      pool: texts(63, { description: 'a pool whose jobs it runs; it is made where there is none' }),
      renew: flag(false, {
        description: 'print a new credential for an agent that is there; its old one is refused within seconds',
      }),
      ttl: text(16, {
        description: 'how long the credential is good: 45m, 12h, 90d or never; until it is revoked if left out',
      }),
      account_seed_file: text(4096, {
        description: 'a file with the seed of the NATS account, in operator mode: the credential gets a JWT',
      }),
      account: text(56, { description: 'the NATS account, where that seed is of a signing key' }),
    },
    async run({ core, actor, arguments: { name }, options, output }) {
      const { renew, ttl, account_seed_file: seedFile, account } = options;
      if (settings.servers.length === 0)
        throw new HorariumError('invalid', 'The option servers of fleet-nats names no NATS server.');
      const lifetime = ttl === null ? null : parseTtl(ttl);
      const renewed = renew ? await readRenewed(core, name, options.pool) : null;
      const pools = renewed?.pools ?? options.pool;
      const keys = PrivateKeys.generate();
      const expires_at = lifetime === null ? null : clock.now() + lifetime;
      const { signing: nkey, sealing: xkey } = keys.publicKeys.texts;
      const user = userOf(settings, { name, nkey }, pools);
      const jwt =
        seedFile === null
          ? null
          : await signUserJwt(user, { seed: readSeed(seedFile), account }, expires_at && Math.floor(expires_at / 1000));
      const { subject_prefix: prefix, servers } = settings;
      const credential = { agent: name, pools, servers, prefix, keys, hosts: hostKeys(settings).publicKeys, jwt };
      const made = await core.store.transaction(actor, async (tables) => {
        const issued = { nkey, xkey, expires_at };
        if (renewed) {
          await core.records(Agent).saveIn(tables, actor, { id: renewed.id, ...issued }, {});
          return [];
        }
        if (await findAgent(tables, name))
          throw new HorariumError(
            'conflict',
            `There is an agent ${name} already: choose another name, or renew its credential by --renew.`,
          );
        const ids = await poolIds(tables, core, actor, pools);
        await core.records(Agent).saveIn(tables, actor, { name, pools: ids.map(({ id }) => id), ...issued }, {});
        return ids.filter(({ isNew }) => isNew).map((each) => each.name);
      });
      await output.write(`${encodeCredential(credential)}\n`);
      for (const pool of made)
        await output.note(`The pool ${pool} is new, and for the jobs of all companies: pool:save binds it to some.`);
      if (renewed)
        await output.note(
          `The old credential of ${name} is refused from now on: its process ends, and the jobs that it runs are lost.`,
        );
      await output.note('The credential is shown only once: it is all that the machine needs to join.');
      if (jwt === null)
        await output.note(
          `The user for the configuration of NATS, beside the others (agent:permissions prints all):\n${authorizationBlock([user])}`,
        );
    },
  });

/**
 * Reads the agent that gets new keys, with its pools by name.
 * @throws HorariumError `not_found` where there is none; `invalid` where pools are named.
 */
async function readRenewed({ store }: PluginCore, name: string, named: readonly string[]) {
  if (named.length > 0)
    throw new HorariumError('invalid', 'An agent that is renewed keeps its pools: agent:save --pools changes them.');
  return store.read(async (tables) => {
    const agent = await findAgent(tables, name);
    if (!agent) throw new HorariumError('not_found', `There is no agent ${name} to renew.`);
    return { id: agent.id, pools: [...(await poolsOf(tables, agent)).keys()] };
  });
}

/** Returns the user of NATS that an agent is. */
export function userOf(
  { subject_prefix }: Pick<FleetOptions, 'subject_prefix'>,
  { name, nkey }: { readonly name: string; readonly nkey: string },
  pools: readonly string[],
): NatsUser {
  return { name, nkey, permissions: agentPermissions(new Subjects(subject_prefix), name, pools) };
}

interface NamedPool {
  readonly id: number;
  readonly name: string;
  readonly isNew: boolean;
}

/** Returns the pools of these names, and makes those that are missing. @throws HorariumError `invalid` where none is named. */
async function poolIds(tables: Tables, core: PluginCore, actor: Actor, names: readonly string[]): Promise<NamedPool[]> {
  if (names.length === 0) throw new HorariumError('invalid', 'An agent runs the jobs of pools: name one by --pool.');
  const known = await tables.of(Pool).find({ where: [['name', 'in', names]] });
  const pools: NamedPool[] = [];
  for (const name of new Set(names)) {
    const found = known.find((pool) => pool.name === name);
    const id = found?.id ?? (await core.records(Pool).saveIn(tables, actor, { name }, {})).id;
    pools.push({ id, name, isNew: found === undefined });
  }
  return pools;
}

function readSeed(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new HorariumError('invalid', `The file ${path} cannot be read (${(error as { code?: unknown }).code}).`);
  }
}

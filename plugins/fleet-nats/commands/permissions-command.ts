import { defineCommand, HorariumError, isAdmin, type PluginSetup } from '@horarium/core/plugin';
import { hostKeys } from '../host/fleet-service.ts';
import type { fleetOptions } from '../host/settings.ts';
import { Agent, credentialRefusal, readPools } from '../records/agent.ts';
import { authorizationBlock, hostPermissions } from '../wire/nats/permissions.ts';
import { Subjects } from '../wire/subjects.ts';
import { userOf } from './enroll-command.ts';

/** `agent:permissions` */
export const permissionsCommand = ({ options: settings }: PluginSetup<typeof fleetOptions>) =>
  defineCommand({
    name: 'agent:permissions',
    summary: 'Print the users of the hosts and of all agents, with their permissions, for the configuration of NATS.',
    group: 'Notices, events and work elsewhere:',
    async run({ core, actor, output }) {
      if (!isAdmin(actor))
        throw new HorariumError('denied', `${actor.name} may not read agents: that takes the role admin.`);
      const subjects = new Subjects(settings.subject_prefix);
      const nkey = hostKeys(settings).publicKeys.texts.signing;
      const users = await core.store.read(async (tables) => {
        const now = await tables.now();
        const agents = await tables.of(Agent).find({ order: [['name', 'asc']] });
        const good = agents.filter((agent) => credentialRefusal(agent, now) === null);
        const pools = await readPools(tables, good);
        return good.map((agent) => userOf(settings, agent, [...(pools.get(agent.id)?.keys() ?? [])]));
      });
      await output.write(
        authorizationBlock([{ name: 'hosts', nkey, permissions: hostPermissions(subjects) }, ...users]),
      );
    },
  });

import { agentExecutor, attemptLimits, definePlugin, type PluginSetup } from '@horarium/core/plugin';
import { enrollCommand } from './commands/enroll-command.ts';
import { permissionsCommand } from './commands/permissions-command.ts';
import { drainCommand, revokeCommand, undrainCommand } from './commands/state-commands.ts';
import { checkNats } from './host/check-nats.ts';
import { FleetService } from './host/fleet-service.ts';
import { checkAgents } from './host/health/agent-faults.ts';
import { fleetOptions, hostKeyFile } from './host/settings.ts';
import { poolRefusal } from './records/pool.ts';
import { fleetResources } from './records/resources.ts';

/** The services by the setup of their plugin, which their ticker and the stop of the plugin have in common. */
const services = new WeakMap<object, FleetService>();

/** Lets machines without the database run jobs: agents, which are connected by NATS JetStream. */
export default definePlugin({
  name: 'fleet-nats',
  api: 1,
  options: fleetOptions,
  resources: fleetResources,
  executors: ({ options }) => [
    agentExecutor({
      name: 'agent',
      limits: attemptLimits(options),
      placementRefusal: (tables, { pool }, company) => poolRefusal(tables, pool, company),
    }),
  ],
  commands: (setup) => [enrollCommand(setup), permissionsCommand(setup), drainCommand, undrainCommand, revokeCommand],
  tickers: (setup) => [{ name: 'agents', interval: 1000, tick: (core) => serviceOf(setup).tick(core) }],
  gauges: (setup) => [
    {
      name: 'agents_silent',
      help: 'Agents that were seen and are silent, though they were neither stopped nor drained nor revoked.',
      read: async () => (await serviceOf(setup).agentFaults())?.silent ?? null,
    },
    {
      name: 'agent_credential_expiry_seconds',
      help: 'The time until the first credential of an agent expires that is not revoked; negative = one has expired.',
      async read() {
        const expiresIn = (await serviceOf(setup).agentFaults())?.firstExpiresIn ?? null;
        return expiresIn && expiresIn / 1000;
      },
    },
    {
      name: 'agent_reports_waiting',
      help: 'Reports of agents that lie in NATS until a host has committed them.',
      read: async () => (await serviceOf(setup).waitingReports())?.count ?? null,
    },
    {
      name: 'agent_report_lag_seconds',
      help: 'How long the oldest of them has been waiting.',
      async read() {
        const reports = await serviceOf(setup).waitingReports();
        return reports && reports.lag / 1000;
      },
    },
  ],
  checks: ({ options }) => [
    { name: 'NATS', advice: 'horarium help nats', run: () => checkNats(options) },
    {
      name: 'agents',
      advice: 'horarium agent:list',
      readsStore: true,
      run: async (openCore) => checkAgents(await openCore()),
    },
  ],
  start: ({ options }) => void hostKeyFile(options),
  stop: (setup) => serviceOf(setup).close(),
});

function serviceOf(setup: PluginSetup<typeof fleetOptions>): FleetService {
  const service = services.get(setup) ?? new FleetService(setup);
  services.set(setup, service);
  return service;
}

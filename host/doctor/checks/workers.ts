import { formatInstant, readLiveAgents, WorkerLease } from '@horarium/core';
import { type Finding, firstFindings, ok, warn } from '../finding.ts';
import type { Installation } from '../installation.ts';

/** The number of leases that are read, those that end last first. */
const maxRead = 1000;

/** Names the processes and the agents that run jobs, and the processes that fell silent without being stopped. */
export async function checkWorkers(installation: Installation): Promise<Finding[]> {
  const core = await installation.core();
  const { now, leases, agents } = await core.store.read(async (tables) => {
    const now = await tables.now();
    const leases = await tables.of(WorkerLease).find({ order: [['lease_until', 'desc']], limit: maxRead });
    return { now, leases, agents: await readLiveAgents(tables, now) };
  });
  const live = leases.filter(({ lease_until }) => lease_until > now);
  const silent = leases
    .filter(({ lease_until }) => lease_until <= now)
    .map(({ host, pid, lease_until }) =>
      warn(
        `process ${pid} on ${host} fell silent at ${formatInstant(lease_until)}`,
        'Read its log there, and start the service again.',
      ),
    );
  const start = (await installation.unitUser()) === null ? 'horarium serve' : 'systemctl start horarium';
  return [atWork(live, agents, start), ...firstFindings(silent, 'processes fell silent', 'horarium status')];
}

function atWork(
  live: readonly { readonly host: string; readonly capacity: number }[],
  agents: readonly { readonly slots: number }[],
  start: string,
): Finding {
  if (live.length === 0) return warn('no service is running', `Start it: ${start}`);
  const workers = live.filter(({ capacity }) => capacity > 0);
  const hosts = [...new Set(workers.map(({ host }) => host))].join(', ');
  const capacity = workers.reduce((sum, worker) => sum + worker.capacity, 0);
  const slots = agents.reduce((sum, agent) => sum + agent.slots, 0);
  const found = [
    ...(workers.length > 0 ? [`${workers.length} on ${hosts}, for ${capacity} jobs at once`] : []),
    ...(agents.length > 0
      ? [`${agents.length} ${agents.length === 1 ? 'agent' : 'agents'}, for ${slots} jobs at once`]
      : []),
  ];
  if (found.length > 0) return ok(found.join('; '));
  return warn(
    'no service that is running runs jobs',
    'Let one run jobs: HORARIUM_WORKERS is 0 (horarium help settings)',
  );
}

import { formatInstant, WorkerLease } from '@horarium/core';
import { type Finding, firstFindings, ok, warn } from '../finding.ts';
import type { Installation } from '../installation.ts';

/** The number of leases that are read, those that end last first. */
const maxRead = 1000;

/** Names the processes that run jobs, and those that fell silent without being stopped. */
export async function checkWorkers(installation: Installation): Promise<Finding[]> {
  const core = await installation.core();
  const { now, leases } = await core.store.read(async (tables) => ({
    now: await tables.now(),
    leases: await tables.of(WorkerLease).find({ order: [['lease_until', 'desc']], limit: maxRead }),
  }));
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
  return [atWork(live, start), ...firstFindings(silent, 'processes fell silent', 'horarium status')];
}

function atWork(live: readonly { readonly host: string; readonly capacity: number }[], start: string): Finding {
  const workers = live.filter(({ capacity }) => capacity > 0);
  const hosts = [...new Set(workers.map(({ host }) => host))].join(', ');
  const capacity = workers.reduce((sum, worker) => sum + worker.capacity, 0);
  if (workers.length > 0) return ok(`${workers.length} on ${hosts}, for ${capacity} jobs at once`);
  if (live.length === 0) return warn('no service is running', `Start it: ${start}`);
  return warn(
    'no service that is running runs jobs',
    'Let one run jobs: HORARIUM_WORKERS is 0 (horarium help settings)',
  );
}

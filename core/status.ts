import { WorkerLease } from './executor/worker-lease.ts';
import { Job, type JobRow } from './job/job.ts';
import type { Clock, Milliseconds } from './loop/clock.ts';
import type { AnyResource } from './resource/define-resource.ts';
import { serializeRow } from './resource/serialize-row.ts';
import type { Where } from './store/query.ts';
import type { Store, Tables } from './store/store.ts';
import type { AnyRow, TableDescription } from './store/table.ts';
import { Schedule } from './template/schedule.ts';
import { formatInstant } from './time/instant.ts';

/** Counting stops there: beyond it the exact number costs more than it tells. */
const mostCounted = 10_000;

/** The condition that leaves the rows which the caller may see. */
type Visible = <R extends AnyRow>(resource: TableDescription<R>) => Where<R>;

/** How the service is: who works, how far behind it is, and how much there is of what the caller may see. */
export async function statusOf(
  tables: Tables,
  service: {
    readonly version: string;
    readonly database: string;
    readonly uptime: Milliseconds;
    readonly resources: readonly AnyResource[];
  },
  visible: Visible,
) {
  const now = await tables.now();
  const workers = await tables.of(WorkerLease).find({ order: [['name', 'asc']], limit: 1000 });
  const count = (where: Where<JobRow>) => tables.of(Job).count([...where, ...visible(Job)], mostCounted);
  return {
    version: service.version,
    uptime: Math.floor(service.uptime / 1000),
    time: formatInstant(now),
    database: service.database,
    workers: workers.map((worker) => serializeRow(WorkerLease, worker)),
    scheduler: { lag_seconds: await lagSeconds(tables) },
    queue: { due: await count(await dueJobs(tables)), running: await count([['state', '=', 'running']]) },
    counts: await counts(tables, service.resources, visible),
  };
}

/** The jobs that wait for nothing but a worker. */
export async function dueJobs(tables: Tables): Promise<Where<JobRow>> {
  return [
    ['state', '=', 'scheduled'],
    ['queue_at', '<=', await tables.now()],
  ];
}

/** How long the most overdue window has been waiting for its Task. */
export async function lagSeconds(tables: Tables): Promise<number> {
  const now = await tables.now();
  const where = [['next_at', '<=', now]] as const;
  const [oldest] = await tables
    .of(Schedule)
    .find({ where, order: [['next_at', 'asc']], limit: 1, columns: ['next_at'] });
  return oldest?.next_at == null ? 0 : (now - oldest.next_at) / 1000;
}

async function counts(
  tables: Tables,
  resources: readonly AnyResource[],
  visible: Visible,
): Promise<Record<string, number>> {
  const counted: Record<string, number> = {};
  for (const resource of resources) {
    if (resource.audited && resource.operations.includes('list') && !resource.nested)
      counted[resource.names.plural] = await tables.of(resource).count(visible(resource), mostCounted);
  }
  return counted;
}

/** A store that does not answer within this time counts as unavailable. */
const patience: Milliseconds = 2000;

/** Whether the store answers, and soon. */
export async function isResponsive(store: Store, clock: Clock): Promise<boolean> {
  const over = new AbortController();
  const answers = store
    .transaction((tables) => tables.now(), { readOnly: true, singleStatement: true })
    .then(
      () => true,
      () => false,
    );
  const silence = clock.sleep(patience, over.signal).then(() => false);
  const ready = await Promise.race([answers, silence]);
  over.abort();
  return ready;
}

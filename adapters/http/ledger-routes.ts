import { AuditTrail, Job, Task } from '@horarium/core';
import type { AnyRow } from './http-core.ts';
import { recordsSample } from './openapi/record-shapes.ts';
import { recordShape } from './record-shape.ts';
import { getRoute, listRoute } from './resource-routes.ts';
import type { Exchange, Route } from './routes.ts';

/** The records of what was owed and what was done: read-only, filtered by time. */
export const ledgerRoutes: readonly Route[] = [
  listRoute(AuditTrail, { period: 'created_at', more: ['entity_id'] }),
  getRoute(AuditTrail),
  listRoute(Task, { period: 'window_start' }),
  getRoute(Task, {
    shapes: { jobs: recordShape(Job) },
    samples: { jobs: recordsSample(Job) },
    read: async (exchange, task) => {
      const jobs = await jobsOf(exchange, task.id);
      return {
        value: { jobs: await exchange.core.show(Job, jobs, 'list') },
        versions: jobs.map((job) => job.revision),
      };
    },
  }),
];

/** All attempts at a Task, oldest first. */
async function jobsOf({ core, actor }: Exchange, taskId: number): Promise<AnyRow[]> {
  const jobs: AnyRow[] = [];
  const list = { filters: { task_id: taskId }, order: 'id' };
  for await (const rows of core.records(Job.name).pages(actor, list)) jobs.push(...rows);
  return jobs;
}

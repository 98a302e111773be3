import { type AnyRow, AuditTrail, Job, type Route, type RouteContext, Task } from '@horarium/core';
import { getRoute, listRoute } from './resource-routes.ts';

/** The records of what was owed and what was done: read-only, filtered by time. */
export const ledgerRoutes: readonly Route[] = [
  listRoute(AuditTrail, { period: 'created_at' }),
  getRoute(AuditTrail),
  listRoute(Task, { period: 'window_start' }),
  getRoute(Task, versionsOfJobs),
];

/** The attempts at a Task are seen with it, so a change of one is a change of what is seen. */
async function versionsOfJobs({ core, actor }: RouteContext, task: AnyRow): Promise<number[]> {
  const versions: number[] = [];
  const list = { filters: { task_id: task.id } };
  for await (const rows of core.records(Job).pages(actor, list)) versions.push(...rows.map((job) => job.revision));
  return versions;
}

import type { Model } from '../data/model.ts';

/** The screens that show records of these kinds; all others are shown beneath Manage. */
const own: Readonly<Record<string, string>> = {
  RunTemplate: '/templates',
  Task: '/runs',
  Job: '/jobs',
  Event: '/events',
  Delivery: '/deliveries',
  AuditLog: '/audit',
};

/** Returns the path of the view of a record; null = no view shows such records. */
export function viewOf(kind: string, id: number, model: Model | null): string | null {
  if (own[kind] !== undefined) return `${own[kind]}/${id}`;
  const resource = model?.resources.find(({ name }) => name === kind);
  return resource?.operations.includes('get') && !resource.nested ? `/manage/${resource.plural}/${id}` : null;
}

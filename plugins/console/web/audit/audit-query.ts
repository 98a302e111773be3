import { company, query } from '../app/router.ts';
import type { Model } from '../data/model.ts';
import { pageSize } from '../lists/narrowed.ts';
import { periodQuery } from '../lists/period.tsx';

/** The kinds of records that the service itself writes all the time, and sign-ins: what people set up is lost among them. */
const runKinds = ['Task', 'Job', 'Event', 'Artifact'];
const ofTheService = new Set([...runKinds, 'Token']);

/** The kinds of records that have entries. */
export function auditedKinds(model: Model): readonly string[] {
  const log = model.resources.find(({ name }) => name === 'AuditLog');
  return log?.fields.find(({ name }) => name === 'entity_type')?.choices ?? [];
}

/** The kinds of records that the view shows: one that is chosen, or those of a group. */
export function shownKinds(model: Model): readonly string[] {
  const one = query.value.get('entity_type');
  if (one !== null) return [one];
  const all = auditedKinds(model);
  const show = query.value.get('show');
  if (show === 'all') return all;
  return all.filter((name) => (show === 'runs' ? runKinds.includes(name) : !ofTheService.has(name)));
}

/** Whether the view is narrowed beyond what it shows at first. */
export function isNarrowed(): boolean {
  return ['entity_type', 'entity_id', 'user_id', 'period', 'forged', 'after'].some((name) => query.value.has(name));
}

/** The kind of the record that all entries of the view are about; undefined = they are about several. */
export function kindOfOne(): string | undefined {
  return /^\d+$/.test(query.value.get('entity_id') ?? '') ? (query.value.get('entity_type') ?? undefined) : undefined;
}

/** The path of the entries that the view shows. */
export function entriesPath(model: Model): string {
  const parameters = new URLSearchParams({ limit: String(pageSize) });
  // Forged entries may name any kind.
  if (!query.value.has('forged')) parameters.set('entity_type', shownKinds(model).join());
  for (const name of ['entity_id', 'user_id', 'forged', 'after']) {
    const value = query.value.get(name);
    if (value) parameters.set(name, value);
  }
  if (company.value !== null) parameters.set('company_id', String(company.value));
  for (const [name, value] of Object.entries(periodQuery())) parameters.set(name, value);
  return `/auditlog.json?${parameters}`;
}

/** The path that counts the entries of a view since a moment. */
export function countPath(kinds: readonly string[], from: string): string {
  const parameters = new URLSearchParams({ limit: '1', entity_type: kinds.join(), from });
  if (company.value !== null) parameters.set('company_id', String(company.value));
  return `/auditlog.json?${parameters}`;
}

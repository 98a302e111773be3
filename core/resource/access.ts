import { denied, HorariumError, notFound } from '../errors.ts';
import type { Query, Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow, RowValues, TableDescription } from '../store/table.ts';
import type { Actor, CompanyRole, Role } from './actor.ts';
import type { AnyResource } from './define-resource.ts';
import {
  companiesOf,
  hasCompanyRole,
  isAdmin,
  isAtLeast,
  type Permission,
  type Permissions,
  type Verb,
} from './permissions.ts';

/** Returns the condition for the rows that the actor may see. Only admins see bookkeeping tables. */
export function visibleTo<R extends AnyRow>(actor: Actor, table: TableDescription<R>): Where<R> {
  if (isAdmin(actor)) return [];
  const { permissions, company } = table as Partial<AnyResource>;
  const readable = permissions && readableRows(actor, permissions, company ?? null);
  return readable ? (readable as Where<R>) : [['id', 'in', []]];
}

/** Finds the record with this id; undefined also for one that the actor may not see. */
export async function findVisible<R extends AnyRow>(
  tables: Tables,
  actor: Actor,
  table: TableDescription<R>,
  id: number,
  lock?: Query['lock'],
): Promise<R | undefined> {
  const where: Where = [['id', '=', id], ...(visibleTo(actor, table) as Where)];
  const [row] = await tables.of(table).find({ where: where as Where<R>, limit: 1, ...(lock && { lock }) });
  return row;
}

/** Reads the record with this id. @throws HorariumError `not_found`, also for one that the actor may not see. */
export async function readVisible<R extends AnyRow>(
  tables: Tables,
  actor: Actor,
  table: TableDescription<R>,
  id: number,
  lock?: Query['lock'],
): Promise<R> {
  const row = await findVisible(tables, actor, table, id, lock);
  if (!row) throw notFound(table.name, id);
  return row;
}

/** The company that a row belongs to; null for records that all companies share. */
export function companyOf(resource: AnyResource, row: RowValues): number | null {
  return resource.company === null ? null : ((row[resource.company] ?? null) as number | null);
}

/**
 * Checks that the record is still at the version that the caller expects; undefined expects none.
 * @throws HorariumError `precondition_failed`.
 */
export function assertVersion(table: TableDescription, row: AnyRow | undefined, version: number | undefined): void {
  if (version === undefined || version === row?.['revision']) return;
  const message = row ? `${table.name} ${row.id} was changed meanwhile.` : `There is no such ${table.name} yet.`;
  throw new HorariumError('precondition_failed', message);
}

/** Returns the condition for the records that the actor may read by role, membership or ownership; false = none. */
function readableRows(
  actor: Actor,
  { decidedBy, verbs: { read }, own }: Permissions,
  company: string | null,
): Where | false {
  if (read === 'everybody') return [];
  if (isRole(read) && decidedBy === 'role' && isAtLeast(actor, read as Role)) return [];
  const ownRows = own?.rows(actor) ?? false;
  const companies = isRole(read) && decidedBy === 'membership' ? companiesOf(actor, read as CompanyRole) : [];
  if (companies.length === 0) return ownRows;
  const ofCompanies: Where = [[company as string, 'in', companies]];
  return ownRows ? [{ any: [ofCompanies, ownRows] }] : ofCompanies;
}

/**
 * Decides whether the actor may write this row. `after` is undefined for a deletion, `before` for a creation.
 * @returns undefined when it is allowed, or a sentence that says why not.
 */
export async function refusalOf(
  actor: Actor,
  resource: AnyResource,
  before: object | undefined,
  after: object | undefined,
  tables: Tables,
): Promise<string | undefined> {
  const { permissions } = resource;
  const verb = before ? (after ? 'update' : 'delete') : 'create';
  const row = { ...(after ?? before) };
  const permission = permissions.verbs[verb];
  if (permission === 'the service') return `${resource.name} records are written by the service alone.`;
  const refusal = await permissions.refuse?.(actor, row, tables, verb);
  if (refusal) return refusal;
  const company = companyOf(resource, row);
  if (rolesAllow(actor, permissions, verb, company) || permissions.own?.mayWrite?.(actor, row)) return undefined;
  const denial = `${actor.name} may not ${verb} ${resource.name} records`;
  if (permission === 'admin everywhere') return `${denial}: that takes the role admin.`;
  if (permissions.decidedBy === 'role') return `${denial}: that takes the role ${permission}.`;
  return `${denial} of company ${company}: that takes the role ${permission} there.`;
}

/** Whether the actor's roles alone allow the verb on records of that company; null = the record has none. */
export function rolesAllow(
  actor: Actor,
  { decidedBy, verbs }: Permissions,
  verb: Verb,
  company: number | null,
): boolean {
  const permission = verbs[verb];
  if (permission === 'the service') return false;
  if (isAdmin(actor) || permission === 'everybody') return true;
  if (!isRole(permission)) return false;
  if (decidedBy === 'role') return isAtLeast(actor, permission as Role);
  return company !== null && hasCompanyRole(actor, company, permission as CompanyRole);
}

/** Allows a write as `refusalOf` decides it. @throws HorariumError `denied`. */
export async function authorize(
  tables: Tables,
  actor: Actor,
  resource: AnyResource,
  before: object | undefined,
  after: object | undefined,
): Promise<void> {
  const refusal = await refusalOf(actor, resource, before, after, tables);
  if (refusal) throw denied(refusal);
}

/**
 * Decides whether the actor could do one of these to any such record, whatever its fields.
 * @returns undefined when it may be allowed, or a sentence that says why it cannot.
 */
export function writeRefusalOf(
  actor: Actor,
  { name, permissions, company: companyField }: AnyResource,
  [verb, ...others]: readonly Verb[],
): string | undefined {
  const { decidedBy, verbs, own } = permissions;
  const companies = [null, ...actor.memberships.keys()];
  // Reading takes no role where the record is the actor's own.
  const isPossible = (each: Verb) =>
    companies.some((company) => rolesAllow(actor, permissions, each, company)) ||
    (each === 'read' && readableRows(actor, permissions, companyField) !== false);
  if (verb === undefined || own?.mayWrite || [verb, ...others].some(isPossible)) return undefined;
  const permission = verbs[verb];
  if (permission === 'the service') return `${name} records are written by the service alone.`;
  const role = permission === 'admin everywhere' ? 'admin' : permission;
  const where = isRole(permission) && decidedBy === 'membership' ? ' in a company' : '';
  return `${actor.name} may not ${verb} ${name} records: that takes the role ${role}${where}.`;
}

/** The records of a kind to which an actor may do something: all, the actor's own, or those of some companies, which may be none. */
export type Reach = 'all' | 'own' | readonly number[];

/** What an actor may do with the records of a kind, as far as the permission matrix says it; some changes are refused besides. */
export interface Reaches extends Readonly<Record<Exclude<Verb, 'read'>, Reach>> {
  /** Whether the actor may see any such records, if there are some. */
  readonly read: boolean;
}

/** Returns what the roles of an actor allow with the records of a kind. */
export function reachesOf(actor: Actor, resource: AnyResource): Reaches {
  const { permissions } = resource;
  const companies = [...actor.memberships.keys()];
  const reachOf = (verb: Verb): Reach => {
    if (rolesAllow(actor, permissions, verb, null)) return 'all';
    const allowed = companies.filter((company) => rolesAllow(actor, permissions, verb, company));
    return allowed.length === 0 && permissions.own?.mayWrite && actor.userId !== null ? 'own' : allowed;
  };
  const isReadable = isAdmin(actor) || readableRows(actor, permissions, resource.company) !== false;
  return { read: isReadable, create: reachOf('create'), update: reachOf('update'), delete: reachOf('delete') };
}

function isRole(permission: Permission): permission is Role | CompanyRole {
  return permission !== 'everybody' && permission !== 'admin everywhere' && permission !== 'the service';
}

/** One resource of the permission matrix, as `horarium permissions` prints it. */
export interface PermissionRow extends Readonly<Record<Verb, Permission>> {
  readonly resource: string;
  readonly decided_by: Permissions['decidedBy'];
}

/** Lists the permission for each resource and verb. */
export function permissionRows(resources: readonly AnyResource[]): PermissionRow[] {
  return resources.map(({ name, permissions: { decidedBy, verbs } }) => ({
    resource: name,
    decided_by: decidedBy,
    read: verbs.read,
    create: verbs.create,
    update: verbs.update,
    delete: verbs.delete,
  }));
}

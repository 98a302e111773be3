import type { Guard } from '../resource/access.ts';
import type { Actor, Role } from '../resource/actor.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import { companyOf } from '../resource/references.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import type { TableDescription } from '../store/table.ts';
import {
  companiesOf,
  companyRights,
  hasCompanyRole,
  isAdmin,
  isAtLeast,
  mayGrant,
  serviceOnly,
  sharedRights,
  type Verb,
} from './permissions.ts';
import { UserRoles, type UserRolesRow } from './user-roles.ts';

type Values = Readonly<Record<string, unknown>>;

/** The rules of the matrix, and those of the ladder that a matrix cannot hold. */
export const permissionGuard: Guard = {
  readable(actor, resource) {
    if (isAdmin(actor)) return true;
    const inCompany = companyRights[resource.name];
    if (inCompany) return inCompanies(companyField(resource), actor);
    const shared = sharedRights[resource.name];
    if (shared && shared.read !== 'nobody' && isAtLeast(actor, shared.read)) return true;
    return own(actor, resource.name);
  },

  async refusal(actor, resource, before, after, tables) {
    const verb: Verb = before ? (after ? 'update' : 'delete') : 'create';
    const row = (after ?? before) as Values;
    if (serviceOnly.has(resource.name)) return `${resource.name} records are written by the service alone.`;
    const higher = await aboveActor(actor, resource, row, tables);
    if (higher) return higher;
    if (isAdmin(actor) || isOwnToken(actor, resource, row)) return undefined;
    return companyRights[resource.name] ? inCompany(actor, resource, verb, row) : everywhere(actor, resource, verb);
  },

  mayCascade: isAdmin,
};

function companyField(resource: TableDescription): string {
  return (resource as Partial<AnyResource>).company ?? 'company_id';
}

function inCompanies(field: string, actor: Actor): boolean | Where {
  const companies = companiesOf(actor, 'viewer');
  return companies.length > 0 && [[field, 'in', companies]];
}

/** Without any role there are one's own record, roles and tokens, and what one did oneself or one's companies did. */
function own(actor: Actor, name: string): boolean | Where {
  const me = actor.userId;
  if (name === 'AuditLog') {
    const mine: Where[] = me === null ? [] : [[['user_id', '=', me]]];
    return [{ any: [...mine, [['company_id', 'in', companiesOf(actor, 'viewer')]]] }];
  }
  if (me === null) return false;
  if (name === 'User') return [['id', '=', me]];
  return (name === 'UserRoles' || name === 'Token') && [['user_id', '=', me]];
}

function isOwnToken(actor: Actor, resource: AnyResource, row: Values): boolean {
  return resource.name === 'Token' && actor.userId !== null && row['user_id'] === actor.userId;
}

/** Only a super_admin may touch a super_admin, and nobody grants a role above their own. */
async function aboveActor(
  actor: Actor,
  resource: AnyResource,
  row: Values,
  tables: Tables,
): Promise<string | undefined> {
  if (resource.name === 'UserRoles' && isAdmin(actor) && !mayGrant(actor, row['role'] as Role))
    return `${actor.name} may not give or take the role ${row['role']}: it is above their own.`;
  const target = { User: row['id'], UserRoles: row['user_id'], Token: row['user_id'] }[resource.name];
  if (typeof target !== 'number' || isAtLeast(actor, 'super_admin')) return undefined;
  if (isOwnToken(actor, resource, row) || !(await isSuperAdmin(target, tables))) return undefined;
  return `User ${target} is a super_admin: only another super_admin may change that.`;
}

async function isSuperAdmin(userId: number, tables: Tables): Promise<boolean> {
  const now = await tables.now();
  const where: Where<UserRolesRow> = [
    ['user_id', '=', userId],
    ['role', '=', 'super_admin'],
    { any: [[['expires_at', '=', null]], [['expires_at', '>', now]]] },
  ];
  return (await tables.of(UserRoles).count(where, 1)) > 0;
}

function inCompany(actor: Actor, resource: AnyResource, verb: Verb, row: Values): string | undefined {
  const least = companyRights[resource.name]?.[verb] ?? 'nobody';
  const company = companyOf(resource, row);
  if (least === 'nobody') return `${actor.name} may not ${verb} ${resource.name} records: that takes the role admin.`;
  if (company !== null && hasCompanyRole(actor, company, least)) return undefined;
  return `${actor.name} may not ${verb} ${resource.name} records of company ${company}: that takes the role ${least} there.`;
}

function everywhere(actor: Actor, resource: AnyResource, verb: Verb): string | undefined {
  const least = sharedRights[resource.name]?.[verb] ?? 'nobody';
  if (least !== 'nobody' && isAtLeast(actor, least)) return undefined;
  return `${actor.name} may not ${verb} ${resource.name} records: that takes the role ${least}.`;
}

import { type Actor, type CompanyRole, companyRoles, type Role, roles } from '../resource/actor.ts';

export type Verb = 'read' | 'create' | 'update' | 'delete';

/** The least role that each verb takes. `admin` and `super_admin` may do in any company what its admins may. */
type Rights<R extends string> = Readonly<Record<Verb, R | 'nobody'>>;

const written = <R extends string>(read: R, write: R): Rights<R> => ({
  read,
  create: write,
  update: write,
  delete: write,
});
const readOnly = <R extends string>(read: R): Rights<R> => ({ ...written<R | 'nobody'>(read, 'nobody') });

/** Records that all companies share: decided by the roles that a user has everywhere. */
export const sharedRights: Readonly<Record<string, Rights<Role>>> = {
  App: written<Role>('viewer', 'admin'),
  Topic: written<Role>('viewer', 'editor'),
  CredentialType: written<Role>('viewer', 'editor'),
  EventSource: written<Role>('viewer', 'admin'),
  User: written<Role>('viewer', 'admin'),
  UserRoles: written<Role>('viewer', 'admin'),
  Token: written<Role>('admin', 'admin'),
  AuditLog: readOnly<Role>('admin'),
};

/** Records of a company: decided by the role of the membership alone. */
export const companyRights: Readonly<Record<string, Rights<CompanyRole>>> = {
  // New companies are made, and whole companies deleted, by those who may do everything everywhere.
  Company: { read: 'viewer', create: 'nobody', update: 'admin', delete: 'nobody' },
  CompanyUser: written<CompanyRole>('viewer', 'admin'),
  RunTemplate: written<CompanyRole>('viewer', 'manager'),
  Credential: written<CompanyRole>('viewer', 'manager'),
  EventRule: written<CompanyRole>('viewer', 'manager'),
  Task: readOnly<CompanyRole>('viewer'),
  Job: { read: 'viewer', create: 'operator', update: 'operator', delete: 'admin' },
  Artifact: readOnly<CompanyRole>('viewer'),
};

/** Of these the service alone writes, whoever asks. */
export const serviceOnly: ReadonlySet<string> = new Set(['Task', 'Artifact', 'AuditLog']);

/** The RBAC roles from the least to the most. */
const ladder: readonly Role[] = [...roles].reverse();

/** How high an actor stands; -1 without any role. */
export function rankOf(actor: Actor): number {
  return Math.max(-1, ...[...actor.roles].map((role) => ladder.indexOf(role)));
}

export function isAtLeast(actor: Actor, role: Role): boolean {
  return rankOf(actor) >= ladder.indexOf(role);
}

/** Whether somebody with this role may give others that one: nobody grants a role above their own. */
export function mayGrant(actor: Actor, role: Role): boolean {
  return isAtLeast(actor, 'admin') && rankOf(actor) >= ladder.indexOf(role);
}

/** Whether the actor may do everything everywhere, but for what only a super_admin may. */
export function isAdmin(actor: Actor): boolean {
  return isAtLeast(actor, 'admin');
}

export function hasCompanyRole(actor: Actor, companyId: number, least: CompanyRole): boolean {
  const role = actor.memberships.get(companyId);
  return role !== undefined && companyRoles.indexOf(role) >= companyRoles.indexOf(least);
}

/** The companies in which the actor has at least that role. */
export function companiesOf(actor: Actor, least: CompanyRole): number[] {
  return [...actor.memberships.keys()].filter((company) => hasCompanyRole(actor, company, least));
}

/** Whether the actor may run, cancel and report jobs of that company. */
export function mayRun(actor: Actor, companyId: number): boolean {
  return isAdmin(actor) || hasCompanyRole(actor, companyId, 'operator');
}

/** One line of the matrix, as `horarium permissions` prints it. */
export interface PermissionRow {
  readonly resource: string;
  readonly decided_by: 'role' | 'membership';
  readonly read: string;
  readonly create: string;
  readonly update: string;
  readonly delete: string;
}

/** The whole matrix: the least role for each verb. */
export function permissionRows(): PermissionRow[] {
  const row =
    (decided_by: PermissionRow['decided_by']) =>
    ([resource, rights]: [string, Rights<string>]) => {
      const said = (verb: Verb) => {
        if (rights[verb] !== 'nobody') return rights[verb];
        return serviceOnly.has(resource) ? 'the service' : 'admin everywhere';
      };
      return {
        resource,
        decided_by,
        read: said('read'),
        create: said('create'),
        update: said('update'),
        delete: said('delete'),
      };
    };
  return [...Object.entries(sharedRights).map(row('role')), ...Object.entries(companyRights).map(row('membership'))];
}

import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import type { AnyRow, TableDescription } from '../store/table.ts';
import { type Actor, type CompanyRole, companyRoles, type Role, roles } from './actor.ts';

export type Verb = 'read' | 'create' | 'update' | 'delete';

/**
 * Who may do an operation on a kind of record: users with at least this role, everybody who is signed in, the admins of
 * all companies, or the service alone.
 */
export type Permission<R extends Role | CompanyRole = Role | CompanyRole> =
  | R
  | 'everybody'
  | 'admin everywhere'
  | 'the service';

/** The permissions of a kind of record. Operations that no rule allows are denied. */
export interface Permissions extends PermissionRules {
  /** Which role of a user counts: the one in the whole service, or the one in the record's company. */
  readonly decidedBy: 'role' | 'membership';
  readonly verbs: Readonly<Record<Verb, Permission>>;
}

/** Rules that a matrix of roles cannot express. */
export interface PermissionRules<F extends string = string> {
  /**
   * The fields that the rules read; they can read no others. The response to a request under an idempotency key is stored
   * with them and the company, so that the rules decide whether it may be replayed.
   */
  readonly fields?: readonly F[];
  /** The actor's own records, which need no role. */
  readonly own?: OwnRecords<NoInfer<F>>;
  /**
   * Returns a sentence that denies a change which the roles allow, or undefined. `row` is the record after the change; for
   * a deletion, the record before it.
   */
  refuse?(
    actor: Actor,
    row: Readonly<Record<F, unknown>>,
    tables: Tables,
    verb: Exclude<Verb, 'read'>,
  ): Promise<string | undefined>;
}

export interface OwnRecords<F extends string = string> {
  /** Returns the condition that selects them; false = the actor owns none. */
  readonly rows: (actor: Actor) => Where | false;
  /** One sentence for documentation. */
  readonly description: string;
  /** Whether the actor may write this stored or new record because it is the actor's own. */
  mayWrite?(actor: Actor, row: Readonly<Record<F, unknown>>): boolean;
}

/** The permission for each verb; `write` stands for create, update and delete. */
type Matrix<R extends Role | CompanyRole> = { readonly read: Permission<R> } & (
  | { readonly write: Permission<R> }
  | Readonly<Record<Exclude<Verb, 'read'>, Permission<R>>>
);

/** Permissions decided by the roles that users have everywhere: for records that all companies share. */
export function byRole<F extends string = never>(matrix: Matrix<Role>, rules: PermissionRules<F> = {}): Permissions {
  return { decidedBy: 'role', verbs: verbsOf(matrix), ...rules };
}

/** Permissions decided by the role of the membership alone: for records of a company. */
export function byMembership<F extends string = never>(
  matrix: Matrix<CompanyRole>,
  rules: PermissionRules<F> = {},
): Permissions {
  return { decidedBy: 'membership', verbs: verbsOf(matrix), ...rules };
}

/**
 * Permissions of records of a company, or of all where they have no `company_id`: those are seen by everybody who is signed in,
 * and written by admins.
 * @param noun what such records are called, in the plural: `Pauses`.
 */
export function byMembershipOrShared(matrix: Matrix<CompanyRole>, name: string, noun: string): Permissions {
  return byMembership(matrix, {
    fields: ['company_id'],
    own: {
      rows: () => [['company_id', '=', null]],
      description: `${noun} of all companies are seen by everybody, and written by admins.`,
    },
    async refuse(actor, { company_id }, _tables, verb) {
      if (company_id !== null || isAdmin(actor)) return undefined;
      return `${actor.name} may not ${verb} a ${name} of all companies: that takes the role admin.`;
    },
  });
}

/** Returns the first of these fields that a save changes, or sets in a new record; undefined = it leaves all alone. */
export async function changedField<F extends string>(
  tables: Tables,
  description: TableDescription,
  row: Readonly<Record<F | 'id', unknown>>,
  fields: readonly F[],
): Promise<F | undefined> {
  const where: Where = [['id', '=', row.id as number]];
  const [stored] =
    typeof row.id === 'number' ? await tables.of<AnyRow>(description).find({ where, columns: fields }) : [];
  return fields.find((field) => (stored?.[field] ?? null) !== (row[field] ?? null));
}

function verbsOf(matrix: Matrix<Role | CompanyRole>): Permissions['verbs'] {
  if (!('write' in matrix)) return matrix;
  const { read, write } = matrix;
  return { read, create: write, update: write, delete: write };
}

/** Records that belong to the user whose id the field holds. */
export function ownedBy(field: string, description: string): OwnRecords {
  return { rows: ({ userId }) => userId !== null && [[field, '=', userId]], description };
}

/** All records, for managers of any company, who choose among them. @param description one sentence for documentation. */
export function seenByManagers(description: string): OwnRecords<never> {
  return { rows: (actor) => companiesOf(actor, 'manager').length > 0 && [], description };
}

/** The RBAC roles from the lowest to the highest. */
const rolesAscending: readonly Role[] = [...roles].reverse();

/** The rank of the actor's highest role; -1 without any role. */
function rankOf(actor: Actor): number {
  return Math.max(-1, ...[...actor.roles].map((role) => rolesAscending.indexOf(role)));
}

export function isAtLeast(actor: Actor, role: Role): boolean {
  return rankOf(actor) >= rolesAscending.indexOf(role);
}

/** Whether the actor may grant that role to others: an admin may, up to the admin's own role. */
export function mayGrant(actor: Actor, role: Role): boolean {
  return isAtLeast(actor, 'admin') && rankOf(actor) >= rolesAscending.indexOf(role);
}

/** Whether the actor may do everything in every company, except what only a super_admin may. */
export function isAdmin(actor: Actor): boolean {
  return isAtLeast(actor, 'admin');
}

export function hasCompanyRole(actor: Actor, companyId: number, minRole: CompanyRole): boolean {
  const role = actor.memberships.get(companyId);
  return role !== undefined && companyRoles.indexOf(role) >= companyRoles.indexOf(minRole);
}

/** The companies in which the actor has at least that role. */
export function companiesOf(actor: Actor, minRole: CompanyRole): number[] {
  return [...actor.memberships.keys()].filter((company) => hasCompanyRole(actor, company, minRole));
}

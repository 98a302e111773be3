import type { AuditedStore, TransactionHooks } from '../audit/audited-store.ts';
import { denied, type FieldError, notFound } from '../errors.ts';
import { isPlainObject } from '../field/value-path.ts';
import type { Instant } from '../loop/clock.ts';
import { readField, throwIfInvalid } from '../records/input.ts';
import type { Records } from '../records/records.ts';
import { refusalOf, visibleTo } from '../resource/access.ts';
import { type Actor, type Role, roles } from '../resource/actor.ts';
import type { Tables } from '../store/store.ts';
import { formatInstant } from '../time/instant.ts';
import { User } from './user.ts';
import { UserRoles, type UserRolesRow } from './user-roles.ts';

export interface RolesContext {
  readonly store: AuditedStore;
  readonly records: Records<UserRolesRow>;
}

/** A role of a user in answers; `id` is that of the role, the same for all users. */
export interface ShownRole {
  readonly id: number;
  readonly name: Role;
  readonly display_name: string;
  /** It has not expired. */
  readonly is_active: boolean;
  readonly assigned_at: string | null;
  readonly expires_at: string | null;
}

/** A role that a user is to have. A role that the user has keeps its expiry where none is given. */
interface WantedRole {
  readonly role: Role;
  readonly expires_at: string | null | undefined;
}

/** The id of each role, the same for all users: its rank from the highest to the lowest. */
export const roleIds = Object.fromEntries(roles.map((role, at) => [role, at + 1])) as Readonly<Record<Role, number>>;

/** The display name of each role. */
export const roleNames: Readonly<Record<Role, string>> = {
  super_admin: 'Super administrator',
  admin: 'Administrator',
  editor: 'Editor',
  user: 'User',
  viewer: 'Viewer',
};

/** Read-only members of a role: they may be sent back as they were shown. */
const readOnlyMembers: ReadonlySet<string> = new Set(['display_name', 'is_active', 'assigned_at']);

/** The RBAC roles of a user, as one list. */
export class Roles {
  readonly #context: RolesContext;

  constructor(context: RolesContext) {
    this.#context = context;
  }

  /** Lists a user's roles, the highest first. @throws HorariumError `not_found` for a user the actor may not see. */
  async list(actor: Actor, userId: number): Promise<ShownRole[]> {
    return this.#context.store.read(async (tables) => {
      await this.#assertVisible(tables, actor, userId);
      return shownRoles(await rolesOf(tables, userId), await tables.now());
    });
  }

  /**
   * Gives the user these roles, by name or id, and removes the others when `replace` is true. A role that the user has
   * keeps its expiry unless one is given; one that has expired is assigned again.
   * @throws HorariumError `not_found`, `denied`, `invalid` naming each role that does not exist, `conflict` for the
   * last super_admin.
   */
  async set(
    actor: Actor,
    userId: number,
    given: unknown,
    replace: boolean,
    hooks?: TransactionHooks<ShownRole[]>,
  ): Promise<ShownRole[]> {
    const errors: FieldError[] = [];
    const wanted = readRoles(given, errors);
    const work = async (tables: Tables) => {
      await this.#assertVisible(tables, actor, userId);
      // Also where nothing is to change: an actor who may not set roles is refused in any case.
      await this.#permit(tables, actor, userId);
      throwIfInvalid('UserRoles', errors);
      const current = await rolesOf(tables, userId);
      for (const each of wanted) await this.#give(tables, actor, userId, each, current);
      const others = current.filter(({ role }) => !wanted.some((each) => each.role === role));
      if (replace) for (const { id } of others) await this.#context.records.removeIn(tables, actor, id);
      return shownRoles(await rolesOf(tables, userId), await tables.now());
    };
    return this.#context.store.transaction(actor, work, hooks);
  }

  async #give(tables: Tables, actor: Actor, userId: number, wanted: WantedRole, current: readonly UserRolesRow[]) {
    const { records } = this.#context;
    const { role, expires_at } = wanted;
    const before = current.find((each) => each.role === role);
    const expired = before && !isActive(before, await tables.now());
    if (before && expired) await records.removeIn(tables, actor, before.id);
    if (before && !expired) {
      if (expires_at !== undefined) await records.saveIn(tables, actor, { expires_at }, { id: before.id });
    } else await records.saveIn(tables, actor, { user_id: userId, role, expires_at: expires_at ?? null }, {});
  }

  async #assertVisible(tables: Tables, actor: Actor, userId: number): Promise<void> {
    const where = [['id', '=', userId] as const, ...visibleTo(actor, User)];
    if ((await tables.of(User).count(where, 1)) === 0) throw notFound(User.name, userId);
  }

  async #permit(tables: Tables, actor: Actor, userId: number): Promise<void> {
    const least = { user_id: userId, role: 'viewer' };
    const refusal = await refusalOf(actor, UserRoles, undefined, least, tables);
    if (refusal) throw denied(refusal);
  }
}

function rolesOf(tables: Tables, userId: number): Promise<UserRolesRow[]> {
  return tables.of(UserRoles).find({ where: [['user_id', '=', userId]] });
}

function isActive({ expires_at }: UserRolesRow, now: Instant): boolean {
  return expires_at === null || expires_at > now;
}

function shownRoles(rows: readonly UserRolesRow[], now: Instant): ShownRole[] {
  const format = (at: Instant | null) => (at === null ? null : formatInstant(at));
  const shown = rows.map((row) => {
    const name = row.role as Role;
    return {
      id: roleIds[name],
      name,
      display_name: roleNames[name],
      is_active: isActive(row, now),
      assigned_at: format(row.assigned_at),
      expires_at: format(row.expires_at),
    };
  });
  return shown.sort((one, other) => one.id - other.id);
}

/**
 * Reads `{"roles": […]}`: each a name, an id, or `{"name" or "id", "expires_at"}`. Problems are added to `errors`.
 */
function readRoles(given: unknown, errors: FieldError[]): WantedRole[] {
  const refuse = (field: string, message: string) => errors.push({ field, message });
  const { roles: list, ...more } = isPlainObject(given) ? given : {};
  for (const name of Object.keys(more)) refuse(name, `${name} is not a field of UserRoles`);
  if (!Array.isArray(list)) {
    refuse('roles', 'roles must be a list of names or ids of roles');
    return [];
  }
  const wanted = list.flatMap((each, at) => readRole(each, `roles[${at}]`, errors));
  // Of a role that is named twice the last one counts.
  return [...new Map(wanted.map((each) => [each.role, each])).values()];
}

function readRole(given: unknown, field: string, errors: FieldError[]): WantedRole[] {
  const { name, id, expires_at, ...more } = isPlainObject(given) ? given : { name: given };
  for (const key of Object.keys(more).filter((each) => !readOnlyMembers.has(each)))
    errors.push({ field: `${field}.${key}`, message: `${key} is not known here` });
  const nameOrId = name ?? id;
  const role = roles.find((each) => each === nameOrId || roleIds[each] === asId(nameOrId));
  if (!role) {
    const isText = typeof nameOrId === 'string' || typeof nameOrId === 'number';
    const problem = isText ? `there is no role ${nameOrId}` : 'it is not a role';
    errors.push({ field, message: `${problem}; the roles are ${roles.join(', ')}` });
    return [];
  }
  if (expires_at !== undefined && expires_at !== null)
    readField(`${field}.expires_at`, UserRoles.fields['expires_at'] as never, asText(expires_at), errors);
  return [{ role, expires_at: expires_at as string | null | undefined }];
}

/** Makes a number a text that is refused: a time is written as RFC 3339. */
function asText(time: unknown): unknown {
  return typeof time === 'number' ? String(time) : time;
}

/** Forms send numbers as text. */
function asId(given: unknown): unknown {
  return typeof given === 'string' && /^[1-9]$/.test(given) ? Number(given) : given;
}

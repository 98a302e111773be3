import type { AuditedStore } from '../audit/audited-store.ts';
import type { FieldError } from '../errors.ts';
import { isPlainObject, pathText, type ValuePath } from '../field/value-path.ts';
import type { Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { knownFields, readField, throwIfInvalid } from '../records/input.ts';
import type { Records } from '../records/records.ts';
import { authorize, readVisible } from '../resource/access.ts';
import { type Actor, type Role, roles } from '../resource/actor.ts';
import type { Tables } from '../store/store.ts';
import { formatInstant } from '../time/instant.ts';
import { User } from './user.ts';
import { UserRoles, type UserRolesInput, type UserRolesRow } from './user-roles.ts';

export interface RolesContext {
  readonly store: AuditedStore;
  readonly records: Records<UserRolesRow, UserRolesInput>;
}

/** A role of a user as responses show it; `id` is that of the role, the same for all users. */
export interface ShownRole {
  readonly id: number;
  readonly name: Role;
  readonly display_name: string;
  /** Whether the role has not expired. */
  readonly is_active: boolean;
  readonly assigned_at: string | null;
  readonly expires_at: string | null;
}

/** A role to assign to a user. Without `expires_at`, a role that the user has already keeps its expiry. */
interface WantedRole {
  readonly role: Role;
  readonly expires_at: Instant | null | undefined;
}

/** The id of each role, the same for all users: its rank from the highest to the lowest. */
export const roleIds = Object.fromEntries(roles.map((role, index) => [role, index + 1])) as Readonly<
  Record<Role, number>
>;

/** The display name of each role. */
export const roleNames: Readonly<Record<Role, string>> = {
  super_admin: 'Super administrator',
  admin: 'Administrator',
  editor: 'Editor',
  user: 'User',
  viewer: 'Viewer',
};

/** The fields of a role in a request; the read-only ones may be sent back as they were shown, and are ignored. */
const roleFields = ['name', 'id', 'expires_at', 'display_name', 'is_active', 'assigned_at'];

/** Reads and sets the RBAC roles of a user as one list. */
export class Roles {
  readonly #context: RolesContext;

  constructor(context: RolesContext) {
    this.#context = context;
  }

  /** Lists a user's roles, the highest first. @throws HorariumError `not_found` for a user the actor may not see. */
  async list(actor: Actor, userId: number): Promise<ShownRole[]> {
    return this.#context.store.read(async (tables) => {
      await readVisible(tables, actor, User, userId);
      return shownRoles(await rolesOf(tables, userId), await tables.now());
    });
  }

  /**
   * Assigns these roles to the user, by name or id, and removes the others when `replace` is true. A role that the user
   * has keeps its expiry unless one is given; one that has expired is assigned again, unless the same expiry is given.
   * @throws HorariumError `not_found`, `denied`, `invalid` naming each role that does not exist, `conflict` for the
   *   last super_admin.
   */
  async set(actor: Actor, userId: number, given: unknown, replace: boolean): Promise<ShownRole[]> {
    return this.#context.store.transaction(actor, (tables) => this.setIn(tables, actor, userId, given, replace));
  }

  /** Assigns and removes like `set`, in the caller's transaction. */
  async setIn(tables: Tables, actor: Actor, userId: number, given: unknown, replace: boolean): Promise<ShownRole[]> {
    const errors: FieldError[] = [];
    const wanted = readRoles(given, errors);
    await readVisible(tables, actor, User, userId);
    // The permission is checked even where nothing changes, so that an actor without it is always rejected.
    await authorize(tables, actor, UserRoles, undefined, { user_id: userId, role: 'viewer' });
    throwIfInvalid('UserRoles', errors);
    const current = await rolesOf(tables, userId);
    for (const entry of wanted) {
      await yieldToEventLoop();
      await this.#assign(tables, actor, userId, entry, current);
    }
    const others = current.filter(({ role }) => !wanted.some((entry) => entry.role === role));
    if (replace)
      for (const { id } of others) {
        await yieldToEventLoop();
        await this.#context.records.deleteIn(tables, actor, id);
      }
    return shownRoles(await rolesOf(tables, userId), await tables.now());
  }

  async #assign(tables: Tables, actor: Actor, userId: number, wanted: WantedRole, current: readonly UserRolesRow[]) {
    const { records } = this.#context;
    const { role, expires_at } = wanted;
    const before = current.find((entry) => entry.role === role);
    // Whoever sends back what is shown keeps also what has expired as it is.
    if (before && before.expires_at === expires_at) return;
    const expired = before && !isActive(before, await tables.now());
    if (before && expired) await records.deleteIn(tables, actor, before.id);
    if (before && !expired) {
      if (expires_at !== undefined) await records.saveIn(tables, actor, { expires_at }, { id: before.id });
    } else await records.saveIn(tables, actor, { user_id: userId, role, expires_at: expires_at ?? null });
  }
}

function rolesOf(tables: Tables, userId: number): Promise<UserRolesRow[]> {
  return tables.of(UserRoles).find({ where: [['user_id', '=', userId]] });
}

function isActive({ expires_at }: UserRolesRow, now: Instant): boolean {
  return expires_at === null || expires_at > now;
}

function shownRoles(rows: readonly UserRolesRow[], now: Instant): ShownRole[] {
  const format = (instant: Instant | null) => (instant === null ? null : formatInstant(instant));
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
  return shown.sort((a, b) => a.id - b.id);
}

/** How many entries a list of roles may have: more than there are roles, because one may be named twice. */
export const maxRolesGiven = 100;

/**
 * Reads `{"roles": […]}`, where each entry is a name, an id, or `{"name" or "id", "expires_at"}`. Adds problems to
 * `errors`.
 */
function readRoles(given: unknown, errors: FieldError[]): WantedRole[] {
  const addError = (field: string, message: string) => errors.push({ field, message });
  const fields = knownFields(isPlainObject(given) ? given : {}, ['roles'], 'a field of UserRoles', errors);
  const { roles: list } = Object.fromEntries(fields);
  if (!Array.isArray(list)) {
    addError('roles', 'roles must be a list of names or ids of roles');
    return [];
  }
  if (list.length > maxRolesGiven) {
    addError('roles', `roles may list at most ${maxRolesGiven}`);
    return [];
  }
  const wanted = list.flatMap((entry, index) => readRole(entry, ['roles', index], errors));
  // The last entry counts where a role is named twice.
  return [...new Map(wanted.map((entry) => [entry.role, entry])).values()];
}

function readRole(given: unknown, path: ValuePath, errors: FieldError[]): WantedRole[] {
  const field = pathText(path);
  const entry = isPlainObject(given) ? given : { name: given };
  const fields = knownFields(entry, roleFields, 'a field of a role', errors, path);
  const { name, id, expires_at } = Object.fromEntries(fields);
  const nameOrId = name ?? id;
  const role = roles.find((each) => each === nameOrId || roleIds[each] === asId(nameOrId));
  if (!role) {
    const isText = typeof nameOrId === 'string' || typeof nameOrId === 'number';
    const problem = isText ? `there is no role ${nameOrId}` : 'it is not a role';
    errors.push({ field, message: `${problem}; the roles are ${roles.join(', ')}` });
    return [];
  }
  const expiry =
    expires_at === undefined
      ? undefined
      : readField(`${field}.expires_at`, UserRoles.fields['expires_at'] as never, asText(expires_at), errors);
  return [{ role, expires_at: expiry as Instant | null | undefined }];
}

/** Converts a number to a text, which is then rejected: a time is written as RFC 3339. */
function asText(time: unknown): unknown {
  return typeof time === 'number' ? String(time) : time;
}

/** Converts a text to an id, because forms send numbers as text. */
function asId(given: unknown): unknown {
  return typeof given === 'string' && /^[1-9]$/.test(given) ? Number(given) : given;
}

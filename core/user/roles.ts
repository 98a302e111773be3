import type { AuditedStore, TransactionHooks } from '../audit/audited-store.ts';
import { denied, type FieldError, notFound } from '../errors.ts';
import type { Instant } from '../loop/clock.ts';
import { throwIfInvalid } from '../records/input.ts';
import type { Records } from '../records/records.ts';
import { refusalOf, visibleTo } from '../resource/access.ts';
import type { Actor, Role } from '../resource/actor.ts';
import type { Tables } from '../store/store.ts';
import { formatInstant } from '../time/instant.ts';
import { readRoles, roleIds, roleNames, type WantedRole } from './role-input.ts';
import { User } from './user.ts';
import { UserRoles, type UserRolesRow } from './user-roles.ts';

export interface RolesContext {
  readonly store: AuditedStore;
  readonly records: Records<UserRolesRow>;
}

/** A role of a user as channels show it; `id` is that of the role, the same for everybody. */
export interface ShownRole {
  readonly id: number;
  readonly name: Role;
  readonly display_name: string;
  /** It counts at this moment: it has not expired. */
  readonly is_active: boolean;
  readonly assigned_at: string | null;
  readonly expires_at: string | null;
}

/** The RBAC roles of a user, as one list. */
export class Roles {
  readonly #context: RolesContext;

  constructor(context: RolesContext) {
    this.#context = context;
  }

  /** From the highest to the lowest. @throws HorariumError `not_found` for a user that the actor may not see. */
  async list(actor: Actor, userId: number): Promise<ShownRole[]> {
    return this.#context.store.read(async (tables) => {
      await this.#mustSee(tables, actor, userId);
      return shown(await rolesOf(tables, userId), await tables.now());
    });
  }

  /**
   * Gives the user these roles, named or by id; the others stay, or go when they are replaced. A role that is held
   * keeps its end unless one is given; one that has expired is given anew.
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
      await this.#mustSee(tables, actor, userId);
      // Also where nothing is to change: who may not set roles is told so in any case.
      await this.#permit(tables, actor, userId);
      throwIfInvalid('UserRoles', errors);
      const held = await rolesOf(tables, userId);
      for (const each of wanted) await this.#give(tables, actor, userId, each, held);
      const others = held.filter(({ role }) => !wanted.some((each) => each.role === role));
      if (replace) for (const { id } of others) await this.#context.records.removeIn(tables, actor, id);
      return shown(await rolesOf(tables, userId), await tables.now());
    };
    return this.#context.store.transaction(actor, work, hooks);
  }

  async #give(tables: Tables, actor: Actor, userId: number, wanted: WantedRole, held: readonly UserRolesRow[]) {
    const { records } = this.#context;
    const { role, expires_at } = wanted;
    const before = held.find((each) => each.role === role);
    const expired = before && !isActive(before, await tables.now());
    if (before && expired) await records.removeIn(tables, actor, before.id);
    if (before && !expired) {
      if (expires_at !== undefined) await records.saveIn(tables, actor, { expires_at }, { id: before.id });
    } else await records.saveIn(tables, actor, { user_id: userId, role, expires_at: expires_at ?? null }, {});
  }

  async #mustSee(tables: Tables, actor: Actor, userId: number): Promise<void> {
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

function shown(rows: readonly UserRolesRow[], now: Instant): ShownRole[] {
  const written = (at: Instant | null) => (at === null ? null : formatInstant(at));
  const roles = rows.map((row) => {
    const name = row.role as Role;
    return {
      id: roleIds[name],
      name,
      display_name: roleNames[name],
      is_active: isActive(row, now),
      assigned_at: written(row.assigned_at),
      expires_at: written(row.expires_at),
    };
  });
  return roles.sort((one, other) => one.id - other.id);
}

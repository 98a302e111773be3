import type { Actor, RequestOrigin, Role } from '../resource/actor.ts';
import type { Condition } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { CompanyUser } from './company-user.ts';
import { User, type UserRow } from './user.ts';
import { UserRoles, type UserRolesRow } from './user-roles.ts';

/** A user with everything that decides the rights of that user. */
export interface Account {
  readonly user: UserRow;
  /** The RBAC roles of the user, expired ones included. */
  readonly roles: readonly UserRolesRow[];
  readonly memberships: Actor['memberships'];
}

/** Finds an account, enabled or not. */
export async function findAccount(tables: Tables, where: Condition<UserRow>): Promise<Account | undefined> {
  const [user] = await tables.of(User).find({ where: [where], limit: 1 });
  if (!user) return undefined;
  const ofUser = [['user_id', '=', user.id]] as const;
  const [roles, memberships] = await Promise.all([
    tables.of(UserRoles).find({ where: ofUser }),
    tables.of(CompanyUser).find({ where: ofUser }),
  ]);
  return {
    user,
    roles,
    memberships: new Map(memberships.map(({ company_id, role }) => [company_id, role])),
  };
}

/**
 * Builds the actor of an account, with the roles that have not expired.
 * @param now by the store's clock
 */
export function actorOf({ user, roles, memberships }: Account, now: number, origin: RequestOrigin): Actor {
  const active = roles.filter(({ expires_at }) => expires_at === null || expires_at > now);
  const { channel, ip, network, requestId } = origin;
  return {
    channel,
    ip,
    network,
    requestId,
    name: user.login,
    userId: user.id,
    roles: new Set(active.map(({ role }) => role as Role)),
    memberships,
  };
}

import type { Actor, Channel, Role } from '../resource/actor.ts';
import type { Term } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { CompanyUser } from './company-user.ts';
import { User, type UserRow } from './user.ts';
import { UserRoles, type UserRolesRow } from './user-roles.ts';

/** Where somebody comes in from: it stands in the audit log beside what they do. */
export interface RequestOrigin {
  readonly channel: Channel;
  readonly ip: string | null;
  readonly requestId: string | null;
}

/** A user with all that their rights follow from. */
export interface Account {
  readonly user: UserRow;
  /** Those whose time is over included. */
  readonly roles: readonly UserRolesRow[];
  readonly memberships: Actor['memberships'];
}

/** The account that this finds, enabled or not. */
export async function findAccount(tables: Tables, where: Term<UserRow>): Promise<Account | undefined> {
  const [user] = await tables.of(User).find({ where: [where], limit: 1 });
  if (!user) return undefined;
  const mine = [['user_id', '=', user.id]] as const;
  const [roles, memberships] = await Promise.all([
    tables.of(UserRoles).find({ where: mine }),
    tables.of(CompanyUser).find({ where: mine }),
  ]);
  return {
    user,
    roles,
    memberships: new Map(memberships.map(({ company_id, role }) => [company_id, role])),
  };
}

/**
 * The user as one who acts, with the roles that count at that moment.
 * @param now by the store's clock
 */
export function actorOf({ user, roles, memberships }: Account, now: number, visit: RequestOrigin): Actor {
  const counting = roles.filter(({ expires_at }) => expires_at === null || expires_at > now);
  return {
    ...visit,
    name: user.login,
    userId: user.id,
    roles: new Set(counting.map(({ role }) => role as Role)),
    memberships,
  };
}

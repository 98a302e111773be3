import { CompanyUser } from '../company/membership.ts';
import type { Actor, CompanyRole, Door, Role } from '../resource/actor.ts';
import type { Tables } from '../resource/store.ts';
import type { UserRow } from './user.ts';
import { UserRoles } from './user-roles.ts';

/** Where somebody comes in from: it stands in the audit log beside what they do. */
export interface Visit {
  readonly door: Door;
  readonly ip: string | null;
  readonly requestId: string | null;
}

/** The user as one who acts, with the roles and memberships that count at this moment by the store's clock. */
export async function actorOf(tables: Tables, user: UserRow, visit: Visit): Promise<Actor> {
  const now = await tables.now();
  const mine = [['user_id', '=', user.id]] as const;
  const held = await tables.of(UserRoles).find({ where: mine });
  const memberships = await tables.of(CompanyUser).find({ where: mine });
  const counting = held.filter(({ expires_at }) => expires_at === null || expires_at > now);
  return {
    ...visit,
    name: user.login,
    userId: user.id,
    roles: new Set(counting.map(({ role }) => role as Role)),
    memberships: new Map(memberships.map(({ company_id, role }) => [company_id as number, role as CompanyRole])),
  };
}

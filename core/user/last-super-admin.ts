import { conflict } from '../errors.ts';
import type { RecordChange } from '../resource/define-resource.ts';
import type { Tables } from '../store/store.ts';
import { User, type UserRow } from './user.ts';
import { UserRoles, type UserRolesRow } from './user-roles.ts';

/**
 * Rejects a change that deletes or disables the last enabled super_admin. It is called before a deletion, and after any
 * other change.
 * @throws HorariumError `conflict`.
 */
export async function keepSuperAdminUser({ before, after }: RecordChange<UserRow>, tables: Tables): Promise<void> {
  if (!before?.enabled || after?.enabled) return;
  const roles = await lockPermanentRoles(tables);
  if (!roles.some((role) => role.user_id === before.id)) return;
  await assertOneRemains(
    tables,
    roles.filter((role) => role.user_id !== before.id),
    before.id,
  );
}

/** Rejects a change that removes the role from the last enabled super_admin, or gives it an expiry. */
export async function keepSuperAdminRole({ before, after }: RecordChange<UserRolesRow>, tables: Tables): Promise<void> {
  if (before?.role !== 'super_admin' || before.expires_at !== null || (after && after.expires_at === null)) return;
  const [user] = await tables.of(User).find({ where: [['id', '=', before.user_id]] });
  if (!user?.enabled) return;
  const roles = await lockPermanentRoles(tables);
  await assertOneRemains(
    tables,
    roles.filter((role) => role.id !== before.id),
    before.user_id,
  );
}

/**
 * Reads the super_admin roles that do not expire, and locks them, so that two super_admins cannot demote each other at
 * once.
 */
function lockPermanentRoles(tables: Tables): Promise<UserRolesRow[]> {
  return tables.of(UserRoles).find({
    where: [
      ['role', '=', 'super_admin'],
      ['expires_at', '=', null],
    ],
    lock: 'wait',
  });
}

async function assertOneRemains(tables: Tables, others: readonly UserRolesRow[], userId: number): Promise<void> {
  const ids = others.map((role) => role.user_id);
  const where = [['id', 'in', ids] as const, ['enabled', '=', true] as const];
  if ((await tables.of(User).count(where, 1)) === 0)
    throw conflict(`User ${userId} is the last enabled super_admin: there must be another one first.`);
}

import { type Role, trustedActor, User, UserRoles } from '@horarium/core';
import type { AuditedStore } from '#core/audit/audited-store';
import { newRow } from '#core/store/table';

/** Creates a user directly in the store. @param password its hash; null = none. @returns the id. */
export function addUser(
  store: AuditedStore,
  { login, password, role }: { login: string; password: string | null; role: Role | null },
): Promise<number> {
  return store.transaction(trustedActor('test'), async (tables) => {
    const [id] = await tables.of(User).insert([newRow(User, { login, password })]);
    const roles = role === null ? [] : [newRow(UserRoles, { user_id: id as number, role, assigned_at: 0 })];
    await tables.of(UserRoles).insert(roles);
    return id as number;
  });
}

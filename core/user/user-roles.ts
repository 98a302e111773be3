import { choice, instant, ref } from '../field/fields.ts';
import { type Actor, type Role, roles } from '../resource/actor.ts';
import { defineResource, type InputOfResource, type Resource } from '../resource/define-resource.ts';
import { byRole, isAdmin, isAtLeast, mayGrant, ownedBy } from '../resource/permissions.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import type { RowOfTable } from '../store/table.ts';

const described = defineResource({
  name: 'UserRoles',
  cacheRegion: 'accounts',
  names: {
    singular: 'userrole',
    plural: 'userroles',
    id: 'userRoleId',
    nouns: ['role of a user', 'roles of users'],
  },
  description: 'A role that a user has everywhere.',
  example: { user_id: 2, role: 'editor', assigned_at: Date.UTC(2026, 10, 21, 5) },
  operations: ['list', 'get', 'save', 'delete'],
  permissions: byRole(
    { read: 'viewer', write: 'admin' },
    {
      fields: ['user_id', 'role'],
      own: ownedBy('user_id', 'Their own roles are seen by everybody.'),
      async refuse(actor, { user_id, role }, tables) {
        if (isAdmin(actor) && !mayGrant(actor, role as Role))
          return `${actor.name} may not give or take the role ${role}: it is above their own.`;
        return refuseSuperAdmin(actor, user_id, tables);
      },
    },
  ),
  nested: true,
  company: null,
  key: ['user_id', 'role'],
  fields: {
    user_id: ref('User', { immutable: true, onDelete: 'cascade' }).required(),
    role: choice(roles, { immutable: true }).required(),
    assigned_at: instant({ readOnly: true }),
    expires_at: instant({ description: 'Null = never.' }),
  },
  async check(row, { tables }) {
    row.assigned_at ??= await tables.now();
  },
});
export type UserRolesRow = { [K in keyof RowOfTable<typeof described>]: RowOfTable<typeof described>[K] };
export type UserRolesInput = { [K in keyof InputOfResource<typeof described>]: InputOfResource<typeof described>[K] };

/** An RBAC role of a user. A user has the rights of all roles that have not expired. */
export const UserRoles: Resource<UserRolesRow, UserRolesInput> = described;

/**
 * Returns the reason why the actor may not change that user: only a super_admin may change a super_admin, in any field.
 */
export async function refuseSuperAdmin(actor: Actor, userId: unknown, tables: Tables): Promise<string | undefined> {
  if (typeof userId !== 'number' || isAtLeast(actor, 'super_admin')) return undefined;
  const where: Where<UserRolesRow> = [
    ['user_id', '=', userId],
    ['role', '=', 'super_admin'],
    { any: [[['expires_at', '=', null]], [['expires_at', '>', await tables.now()]]] },
  ];
  if ((await tables.of(UserRoles).count(where, 1)) === 0) return undefined;
  return `User ${userId} is a super_admin: only another super_admin may change that.`;
}

import { choice, instant, ref } from '../field/fields.ts';
import { roles } from '../resource/actor.ts';
import { defineResource } from '../resource/define-resource.ts';
import type { RowOfTable } from '../store/table.ts';

/** One RBAC role of one user; all that have not expired count. */
export const UserRoles = defineResource({
  name: 'UserRoles',
  names: { singular: 'userrole', plural: 'userroles', id: 'userRoleId' },
  description: 'A role that a user has everywhere.',
  example: { user_id: 2, role: 'editor', assigned_at: Date.UTC(2026, 10, 21, 5) },
  operations: ['list', 'get', 'save', 'delete'],
  nested: true,
  company: null,
  key: ['user_id', 'role'],
  fields: {
    user_id: ref('User', { immutable: true, onDelete: 'cascade' }).required(),
    role: choice(roles, { immutable: true }).required(),
    assigned_at: instant({ readOnly: true }),
    expires_at: instant(),
  },
  async check(row, { tables }) {
    row.assigned_at ??= await tables.now();
  },
});
export type UserRolesRow = RowOfTable<typeof UserRoles>;

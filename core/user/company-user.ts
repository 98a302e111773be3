import { choice, ref } from '../field/fields.ts';
import { companyRoles } from '../resource/actor.ts';
import {
  type ComputedOptions,
  defineResource,
  type InputOfResource,
  type Resource,
} from '../resource/define-resource.ts';
import { excerptOf } from '../resource/excerpt.ts';
import { byMembership } from '../resource/permissions.ts';
import { readByIds } from '../store/rows.ts';
import type { RowOfTable } from '../store/table.ts';
import { User } from './user.ts';

const person = excerptOf(User, ['id', 'login', 'email', 'first_name', 'last_name']);

/** Computes the part of a member's user that identifies the person. */
const memberUser: ComputedOptions<{ readonly user_id: number }> = {
  fields: { user: person.item(2) },
  embeds: { user: { resource: User } },
  async load(tables, rows) {
    const ids = rows.map((row) => row.user_id);
    const users = await readByIds(tables, User, ids);
    return ids.map((userId) => {
      const user = users.get(userId);
      return user ? { user: person.of(user) } : {};
    });
  },
};

const described = defineResource({
  name: 'CompanyUser',
  cacheRegion: 'accounts',
  names: {
    singular: 'companyuser',
    plural: 'companyusers',
    id: 'companyUserId',
    nouns: ['membership', 'memberships'],
  },
  description: 'Membership of a user in a company, with a role.',
  example: { company_id: 1, user_id: 2, role: 'operator' },
  operations: ['list', 'get', 'save', 'delete'],
  permissions: byMembership({ read: 'viewer', write: 'admin' }),
  nested: true,
  company: 'company_id',
  computed: [memberUser],
  key: ['company_id', 'user_id'],
  summaryFields: ['id', 'company_id', 'user_id', 'role', 'created_at'],
  fields: {
    company_id: ref('Company', { immutable: true, onDelete: 'cascade' }).required(),
    user_id: ref('User', { immutable: true, onDelete: 'cascade', namedBy: 'login' }).required(),
    role: choice(companyRoles).default('viewer').nonNullable(),
  },
});
export type CompanyUserRow = { [K in keyof RowOfTable<typeof described>]: RowOfTable<typeof described>[K] };
export type CompanyUserInput = { [K in keyof InputOfResource<typeof described>]: InputOfResource<typeof described>[K] };

/** Membership of a user in a company. Its role alone decides what the user may do there. */
export const CompanyUser: Resource<CompanyUserRow, CompanyUserInput> = described;

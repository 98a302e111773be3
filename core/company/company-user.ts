import { choice, ref } from '../field/fields.ts';
import { companyRoles } from '../resource/actor.ts';
import { defineResource } from '../resource/define-resource.ts';
import type { RowOfTable } from '../store/table.ts';

/** A user's place in a company. Its role alone decides what the user may do there. */
export const CompanyUser = defineResource({
  name: 'CompanyUser',
  names: { singular: 'companyuser', plural: 'companyusers', id: 'companyUserId' },
  description: 'Membership of a user in a company, with a role.',
  example: { company_id: 1, user_id: 2, role: 'operator' },
  operations: ['list', 'get', 'save', 'delete'],
  nested: true,
  company: 'company_id',
  key: ['company_id', 'user_id'],
  summaryFields: ['id', 'company_id', 'user_id', 'role', 'created_at'],
  fields: {
    company_id: ref('Company', { immutable: true, onDelete: 'cascade' }).required(),
    user_id: ref('User', { immutable: true, onDelete: 'cascade' }).required(),
    role: choice(companyRoles).default('viewer').nonNullable(),
  },
});
export type CompanyUserRow = RowOfTable<typeof CompanyUser>;

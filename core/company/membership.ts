import { companyRoles } from '../resource/actor.ts';
import { defineResource } from '../resource/define-resource.ts';
import { choice, ref } from '../resource/fields.ts';

/** A user's place in a company. Its role alone decides what the user may do there. */
export const CompanyUser = defineResource({
  name: 'CompanyUser',
  words: { one: 'companyuser', many: 'companyusers', id: 'companyUserId' },
  note: 'Membership of a user in a company, with a role.',
  example: { company_id: 1, user_id: 2, role: 'operator' },
  operations: ['list', 'get', 'save', 'remove'],
  nested: true,
  company: 'company_id',
  key: ['company_id', 'user_id'],
  glance: ['id', 'company_id', 'user_id', 'role', 'created_at'],
  fields: {
    company_id: ref('Company', { fixed: true, whenGone: 'goes' }).required(),
    user_id: ref('User', { fixed: true, whenGone: 'goes' }).required(),
    role: choice(companyRoles).default('viewer').nonNullable(),
  },
});
export type CompanyUserRow = NonNullable<(typeof CompanyUser)['row']>;

import { byMembership, choice, count, defineResource, instant, ref, text } from '@horarium/core/plugin';

/** A complete description of a resource: its table, routes, commands, permissions and OpenAPI follow from it. */
export const Holiday = defineResource({
  name: 'Holiday',
  names: { singular: 'holiday', plural: 'holidays', id: 'holidayId' },
  description: 'A day on which a company does not work.',
  example: { company_id: 1, name: 'Christmas Eve', on: Date.UTC(2026, 11, 24), kind: 'public' },
  operations: ['list', 'get', 'save', 'delete'],
  permissions: byMembership({ read: 'viewer', write: 'manager' }),
  company: 'company_id',
  key: ['company_id', 'name'],
  period: 'on',
  fields: {
    company_id: ref('Company', { immutable: true }).required(),
    name: text(255).required(),
    on: instant().required(),
    kind: choice(['public', 'own']).default('own').nonNullable(),
  },
  computed: [
    {
      fields: { letters: count(0, { readOnly: true, description: 'Length of the name.' }) },
      load: async (_tables, rows) => rows.map(({ name }) => ({ letters: name.length })),
    },
  ],
});

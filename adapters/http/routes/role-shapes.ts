import { type BodyShape, roleIds, roleNames, roles, type Sample } from '@horarium/core';
import { objectOf } from './route-shape.ts';

const end = { type: ['string', 'null'], format: 'date-time' };
const name = { enum: roles };
const id = { type: 'integer', minimum: 1, maximum: roles.length };

/** The roles of a user. */
export const rolesSample: Sample = {
  schema: {
    type: 'array',
    items: objectOf({
      id: { ...id, description: 'Of the role: the same for everybody.' },
      name,
      display_name: { type: 'string' },
      is_active: { type: 'boolean', description: 'It has not expired.' },
      assigned_at: end,
      expires_at: end,
    }),
  },
  example: [
    {
      id: roleIds.editor,
      name: 'editor',
      display_name: roleNames.editor,
      is_active: true,
      assigned_at: '2026-11-21T05:00:00.000Z',
      expires_at: null,
    },
  ],
};

/** Roles by name or id; with an end where they are to have one. */
export const rolesBody: BodyShape = {
  schema: objectOf({
    roles: {
      type: 'array',
      items: {
        anyOf: [name, id, { type: 'object', properties: { name, id, expires_at: end }, additionalProperties: false }],
      },
    },
  }),
  example: { roles: ['editor'] },
};

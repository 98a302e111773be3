import { flag, instant, text } from '../field/fields.ts';
import { anything, json } from '../field/structured.ts';
import { email } from '../field/web-fields.ts';
import { defineResource, type InputOfResource, type Resource } from '../resource/define-resource.ts';
import { byRole, ownedBy } from '../resource/permissions.ts';
import type { RowOfTable } from '../store/table.ts';
import { refuseSuperAdmin } from './user-roles.ts';

/** The minimum length of a password, in characters. */
export const minPasswordLength = 12;
/** The maximum length of a password, in characters. */
export const maxPasswordLength = 1024;
/** The maximum length of a login, in characters. */
export const maxLoginLength = 64;

const described = defineResource({
  name: 'User',
  cacheRegion: 'accounts',
  names: { singular: 'user', plural: 'users', id: 'userId' },
  description: 'A person or a program that may sign in.',
  example: {
    login: 'jane',
    email: 'jane@acme.example',
    first_name: 'Jane',
    last_name: 'Doe',
    password: 'correct horse battery staple',
  },
  operations: ['list', 'get', 'save', 'delete'],
  permissions: byRole(
    { read: 'viewer', write: 'admin' },
    {
      fields: ['id'],
      own: ownedBy('id', 'Their own record is seen by everybody.'),
      refuse: (actor, row, tables) => refuseSuperAdmin(actor, row.id, tables),
    },
  ),
  company: null,
  key: ['login'],
  summaryFields: ['id', 'login', 'email', 'first_name', 'last_name', 'enabled', 'last_login_at'],
  fields: {
    login: text(maxLoginLength, { unique: true, description: 'Name to sign in with.' })
      .matches(/^[^\s:\p{Cc}]+$/u, ({ path }: { path: string }) => `${path} may hold no spaces and no ":"`)
      .required(),
    email: email({ indexed: true, description: 'E-mail address of the user.' }),
    first_name: text(255, { description: 'Given name.' }),
    last_name: text(255, { description: 'Family name.' }),
    password: text(maxPasswordLength, {
      secret: 'hashed',
      description: `Needed to sign in with a browser; at least ${minPasswordLength} characters; never shown.`,
    }).min(minPasswordLength),
    enabled: flag(true, { indexed: true, description: 'A disabled user cannot sign in.' }),
    settings: json(anything, {}, { description: 'Data that the service does not interpret.' }),
    last_login_at: instant({ readOnly: true, unaudited: true }),
  },
});
export type UserRow = { [K in keyof RowOfTable<typeof described>]: RowOfTable<typeof described>[K] };
export type UserInput = { [K in keyof InputOfResource<typeof described>]: InputOfResource<typeof described>[K] };

/** A person or a program that may sign in. */
export const User: Resource<UserRow, UserInput> = described;

import { defineResource } from '../resource/define-resource.ts';
import { flag, instant, json, text } from '../resource/fields.ts';
import { anything } from '../resource/plain-data.ts';
import { email } from '../resource/web-fields.ts';

/** In characters. */
export const shortestPassword = 12;

/** Somebody who may sign in. */
export const User = defineResource({
  name: 'User',
  words: { one: 'user', many: 'users', id: 'userId' },
  note: 'Somebody who may sign in.',
  example: {
    login: 'jane',
    email: 'jane@acme.example',
    first_name: 'Jane',
    last_name: 'Doe',
    password: 'correct horse battery staple',
  },
  operations: ['list', 'get', 'save', 'remove'],
  company: null,
  key: ['login'],
  glance: ['id', 'login', 'email', 'first_name', 'last_name', 'enabled', 'last_login_at'],
  fields: {
    login: text(64, { unique: true })
      .matches(/^[^\s:\p{Cc}]+$/u, ({ path }: { path: string }) => `${path} may hold no spaces and no ":"`)
      .required(),
    email: email({ indexed: true }),
    first_name: text(255),
    last_name: text(255),
    password: text(1024, { secret: 'hashed', note: `At least ${shortestPassword} characters; never shown.` }).min(
      shortestPassword,
    ),
    enabled: flag(true, { indexed: true }),
    settings: json(anything, {}),
    last_login_at: instant({ readOnly: true, unaudited: true }),
  },
});
export type UserRow = NonNullable<(typeof User)['row']>;

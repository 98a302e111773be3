import { choice, instant, ref, text } from '../field/fields.ts';
import type { Actor } from '../resource/actor.ts';
import { defineResource } from '../resource/define-resource.ts';
import { byRole, ownedBy } from '../resource/permissions.ts';
import type { RowOfTable } from '../store/table.ts';
import { refuseSuperAdmin } from './user-roles.ts';

/** What a user signs in with instead of a password. Only a hash of it is kept: it is shown once, when it is made. */
export const Token = defineResource({
  name: 'Token',
  names: { singular: 'token', plural: 'tokens', id: 'tokenId' },
  description: 'What a user signs in with instead of a password.',
  example: { user_id: 1, name: 'nightly integration', kind: 'cli', expires_at: Date.UTC(2027, 1, 19, 5) },
  operations: [],
  permissions: byRole(
    { read: 'admin', write: 'admin' },
    {
      own: { ...ownedBy('user_id', 'Their own tokens are seen by everybody.'), mayWrite: isOwn },
      refuse: async (actor, row, tables) =>
        isOwn(actor, row) ? undefined : refuseSuperAdmin(actor, row['user_id'], tables),
    },
  ),
  company: null,
  fields: {
    user_id: ref('User', { immutable: true, onDelete: 'cascade' }).required(),
    name: text(255),
    kind: choice(['login', 'cli'], { immutable: true }).required(),
    /** SHA-256 in hex. */
    hash: text(64, { hidden: true, unique: true }).required(),
    expires_at: instant({ indexed: true, description: 'Null = never.' }),
    revoked_at: instant(),
    last_used_at: instant({ readOnly: true, unaudited: true }),
  },
});
export type TokenRow = RowOfTable<typeof Token>;

function isOwn({ userId }: Actor, row: Readonly<Record<string, unknown>>): boolean {
  return userId !== null && row['user_id'] === userId;
}

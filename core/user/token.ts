import { choice, instant, ref, text } from '../field/fields.ts';
import { defineResource } from '../resource/define-resource.ts';
import type { RowOfTable } from '../store/table.ts';

/** What a user signs in with instead of a password. Only a hash of it is kept: it is shown once, when it is made. */
export const Token = defineResource({
  name: 'Token',
  names: { singular: 'token', plural: 'tokens', id: 'tokenId' },
  description: 'What a user signs in with instead of a password.',
  example: { user_id: 1, name: 'nightly integration', kind: 'cli', expires_at: Date.UTC(2027, 1, 19, 5) },
  operations: [],
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

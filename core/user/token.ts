import { defineResource } from '../resource/define-resource.ts';
import { choice, instant, ref, text } from '../resource/fields.ts';

/** What a user signs in with instead of a password. Only a hash of it is kept: it is shown once, when it is made. */
export const Token = defineResource({
  name: 'Token',
  words: { one: 'token', many: 'tokens', id: 'tokenId' },
  note: 'What a user signs in with instead of a password.',
  example: { user_id: 1, name: 'nightly integration', kind: 'cli', expires_at: Date.UTC(2027, 1, 19, 5) },
  operations: [],
  company: null,
  fields: {
    user_id: ref('User', { fixed: true, whenGone: 'goes' }).required(),
    name: text(255),
    kind: choice(['login', 'cli'], { fixed: true }).required(),
    /** SHA-256 in hex. */
    hash: text(64, { hidden: true, unique: true }).required(),
    expires_at: instant({ indexed: true, note: 'Null = never.' }),
    revoked_at: instant(),
    last_used_at: instant({ readOnly: true, unaudited: true }),
  },
});
export type TokenRow = NonNullable<(typeof Token)['row']>;

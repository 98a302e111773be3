import { choice, instant, ref, text } from '../field/fields.ts';
import type { Instant } from '../loop/clock.ts';
import type { Actor } from '../resource/actor.ts';
import { defineResource, type RecordChange, type Resource } from '../resource/define-resource.ts';
import { byRole, ownedBy } from '../resource/permissions.ts';
import type { Tables } from '../store/store.ts';
import type { RowOfTable } from '../store/table.ts';
import type { Digests } from './digests.ts';
import type { UserRow } from './user.ts';
import { refuseSuperAdmin } from './user-roles.ts';

const described = defineResource({
  name: 'Token',
  cacheRegion: 'accounts',
  names: { singular: 'token', plural: 'tokens', id: 'tokenId' },
  description: 'A secret that a user signs in with instead of a password.',
  example: { user_id: 1, name: 'nightly integration', kind: 'cli', expires_at: Date.UTC(2027, 1, 19, 5) },
  operations: [],
  permissions: byRole(
    { read: 'admin', write: 'admin' },
    {
      fields: ['user_id'],
      own: { ...ownedBy('user_id', 'Their own tokens are seen by everybody.'), mayWrite: isOwn },
      refuse: async (actor, row, tables) =>
        isOwn(actor, row) ? undefined : refuseSuperAdmin(actor, row.user_id, tables),
    },
  ),
  company: null,
  fields: {
    user_id: ref('User', { immutable: true, onDelete: 'cascade' }).required(),
    name: text(255),
    kind: choice(['login', 'cli'], { immutable: true }).required(),
    /** The SHA-256 of the secret, in hex. */
    hash: text(64, { hidden: true, unique: true }).required(),
    expires_at: instant({ indexed: true, description: 'Null = never.' }),
    revoked_at: instant(),
    last_used_at: instant({ readOnly: true, unaudited: true }),
  },
});
export type TokenRow = { [K in keyof RowOfTable<typeof described>]: RowOfTable<typeof described>[K] };

/**
 * A secret that stands for a user's password in requests. The store has only its hash: it is shown once, when it is
 * issued.
 */
export const Token: Resource<TokenRow> = described;

function isOwn({ userId }: Actor, { user_id }: { readonly user_id: unknown }): boolean {
  return userId !== null && user_id === userId;
}

/** The beginning of every token; it makes leaked ones recognisable. */
export const tokenPrefix = 'hor_';

/** Finds the token with that secret, valid or not. */
export async function findToken(tables: Tables, digests: Digests, secret: string): Promise<TokenRow | undefined> {
  if (!secret.startsWith(tokenPrefix)) return undefined;
  const [token] = await tables.of(Token).find({ where: [['hash', '=', digests.sha256(secret)]], limit: 1 });
  return token;
}

/** @param now by the store's clock */
export function isValid({ revoked_at, expires_at }: TokenRow, now: Instant): boolean {
  return revoked_at === null && (expires_at === null || expires_at > now);
}

/** Revokes a user's login tokens when the password changes, because they were issued for the old one. */
export async function revokeLoginTokens({ before, after }: RecordChange<UserRow>, tables: Tables): Promise<void> {
  if (!before || !after || before.password === after.password) return;
  const now = await tables.now();
  const where = [
    ['user_id', '=', after.id],
    ['kind', '=', 'login'],
    ['revoked_at', '=', null],
  ] as const;
  const tokens = await tables.of(Token).find({ where });
  await tables.of(Token).update(tokens.map((row) => ({ row, set: { revoked_at: now } })));
}

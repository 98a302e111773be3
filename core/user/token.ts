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
    kind: choice(['login', 'cli', 'session'], { immutable: true }).required(),
    /** The SHA-256 of the secret, in hex. */
    hash: text(64, { hidden: true, unique: true }).required(),
    expires_at: instant({ indexed: true, description: 'Null = never.' }),
    revoked_at: instant({ indexed: true }),
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

/**
 * The beginning of every secret, by the kind of its token; it makes leaked ones recognisable. A session has one of its own,
 * so that its secret is no bearer token for hosts of an older version either, which know no sessions.
 */
export const secretPrefixes: Readonly<Record<TokenRow['kind'], string>> = {
  login: 'hor_',
  cli: 'hor_',
  session: 'hors_',
};

/** Finds the token with that secret, valid or not. */
export async function findToken(tables: Tables, digests: Digests, secret: string): Promise<TokenRow | undefined> {
  if (!Object.values(secretPrefixes).some((prefix) => secret.startsWith(prefix))) return undefined;
  const [token] = await tables.of(Token).find({ where: [['hash', '=', digests.sha256(secret)]], limit: 1 });
  return token;
}

/** @param now by the store's clock */
export function isValid({ revoked_at, expires_at }: TokenRow, now: Instant): boolean {
  return revoked_at === null && (expires_at === null || expires_at > now);
}

/**
 * Revokes the login tokens and sessions of a user when the password changes, because they were issued for the old one,
 * and the sessions of one who is disabled, so that a browser that was left signed in does not go on once the user is enabled.
 */
export async function revokeLoginTokens({ before, after }: RecordChange<UserRow>, tables: Tables): Promise<void> {
  if (!before || !after) return;
  if (before.password !== after.password) await revokeTokens(tables, after.id, ['login', 'session']);
  else if (before.enabled && !after.enabled) await revokeTokens(tables, after.id, ['session']);
}

async function revokeTokens(tables: Tables, userId: number, kinds: readonly TokenRow['kind'][]): Promise<void> {
  const now = await tables.now();
  const where = [
    ['user_id', '=', userId],
    ['kind', 'in', kinds],
    ['revoked_at', '=', null],
  ] as const;
  const tokens = await tables.of(Token).find({ where });
  await tables.of(Token).update(tokens.map((row) => ({ row, set: { revoked_at: now } })));
}

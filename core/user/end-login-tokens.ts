import type { RecordChange } from '../resource/define-resource.ts';
import type { Tables } from '../store/store.ts';
import { Token } from './token.ts';
import type { UserRow } from './user.ts';

/** Whoever changes a password is signed out everywhere: tokens that were got with the old one end with it. */
export async function endLoginTokens({ before, after }: RecordChange<UserRow>, tables: Tables): Promise<void> {
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

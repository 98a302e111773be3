import { encodeUser } from '@nats-io/jwt';
import { fromPublic, fromSeed, type KeyPair } from '@nats-io/nkeys';
import { WireError } from '../wire-error.ts';
import type { NatsUser } from './permissions.ts';

/** The account of NATS, in operator mode, that the hosts and the agents are users of. */
export interface OperatorAccount {
  /** The seed of the account, or of one of its signing keys: `SA…`. */
  readonly seed: string;
  /** The account, `A…`, where the seed is that of a signing key. */
  readonly account: string | null;
}

/**
 * Signs the JWT of a user for NATS in operator mode, with the same permissions as `authorizationBlock` writes.
 * @param expiresAt in seconds since 1970; null = never.
 * @throws WireError for a seed or an account that is none.
 */
export async function signUserJwt(
  user: NatsUser,
  operator: OperatorAccount,
  expiresAt: number | null,
): Promise<string> {
  const signer = keyOf(operator.seed, 'SA', 'seed of the NATS account', (seed) => fromSeed(Buffer.from(seed)));
  const issuer = operator.account === null ? signer : keyOf(operator.account, 'A', 'NATS account', fromPublic);
  const { publish, subscribe } = user.permissions;
  const permissions = { pub: { allow: [...publish] }, sub: { allow: [...subscribe] } };
  return encodeUser(user.name, user.nkey, issuer, permissions, {
    ...(operator.account !== null && { signer }),
    ...(expiresAt !== null && { exp: expiresAt }),
  });
}

function keyOf(text: string, prefix: string, what: string, read: (text: string) => KeyPair): KeyPair {
  try {
    if (text.startsWith(prefix)) return read(text);
  } catch {
    // The sentence below says it; the error of the library would be one more form of the same.
  }
  throw new WireError(`The ${what} is wrong: it must be an NKey that begins with ${prefix}.`);
}

import type { SecretVault } from '../resource/record-services.ts';

/**
 * PORT: keeps secrets under keys that the store never sees. Sealed text names the key it was made with, so several
 * may be in use: the newest seals, all open. The context is what a secret belongs to (a record and a field); sealed
 * text opens under the same context only.
 */
export interface Vault extends SecretVault {
  /** Those of all its keys, the newest first. */
  readonly fingerprints: readonly string[];
  /** How the fingerprint of the key begins that a sealed text was made with; the key itself may be missing. */
  keyOf(sealed: string): string;
  /** A key to sign with, in base64: one for each purpose, derived from the oldest key. */
  signingKey(purpose: string): string;
  /** HMAC-SHA256 in lower-case hex. @param key in base64. */
  hmac(key: string): (data: string) => string;
}

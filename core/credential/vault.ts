import type { SecretVault } from '../resource/surroundings.ts';

/**
 * PORT: keeps secrets under keys that the store never sees. Sealed text names the key it was made with, so several
 * may be in use: the newest seals, all open. The context is what a secret belongs to (a record and a field); sealed
 * text opens under the same context only.
 */
export interface Vault extends SecretVault {
  /** Tells the newest key from others without giving it away; kept in the store to notice a wrong key. */
  readonly fingerprint: string;
  /** Whether one of the keys has this fingerprint. */
  knows(fingerprint: string): boolean;
  /**
   * HMAC-SHA256 in lower-case hex under a key of its own for each purpose. It is derived from the oldest key, so that
   * adding a newer one changes nothing that was signed before.
   */
  hmac(purpose: string): (data: string) => string;
}

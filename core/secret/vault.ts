/**
 * PORT: encrypts texts under keys that the store never sees. A ciphertext names the key it was made with, so several
 * keys may be in use: the newest encrypts, all decrypt. The context says what a text belongs to (a record and a field);
 * its ciphertext decrypts under the same context only.
 */
export interface Vault {
  /** Identifies the newest key, the one that encrypts, without giving it away. */
  readonly fingerprint: string;
  /** The fingerprints of all keys, the newest first. */
  readonly fingerprints: readonly string[];
  /** Whether its key ends with this process, so that nothing it encrypts may be stored for longer. @default false */
  readonly isEphemeral?: boolean;
  /** @returns text that begins with `ciphertextPrefix`. */
  encrypt(plain: string, context: string): string;
  /** @throws HorariumError `unavailable` when its key is missing, the text was changed, or belongs elsewhere. */
  decrypt(ciphertext: string, context: string): string;
  /**
   * Returns the first characters of the fingerprint of the key that made the ciphertext; the vault may lack the key
   * itself.
   */
  keyOf(ciphertext: string): string;
  /** Returns a key to sign with, in base64: one for each purpose, derived from the oldest key. */
  signingKey(purpose: string): string;
  /** HMAC-SHA256 in lower-case hex. @param key in base64. */
  hmac(key: string): Hmac;
}

/** A keyed digest of a text, in lower-case hex. */
export type Hmac = (data: string) => string;

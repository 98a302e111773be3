/**
 * PORT: hashes passwords and verifies passwords against a hash. Both `hash` and `verify` take time on purpose, and must
 * not block the event loop meanwhile.
 */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** @returns false also for text that is not a hash. */
  verify(hash: string, password: string): Promise<boolean>;
  /** Whether the hash has weaker settings than those that `hash` uses now. */
  needsRehash(hash: string): boolean;
}

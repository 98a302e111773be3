import type { PasswordHashing } from '../resource/record-services.ts';

/**
 * PORT: turns passwords into text that can be compared with a password but not read. `verify` answers false for text
 * that is no hash. Both take time on purpose, and must not block the event loop meanwhile.
 */
export type PasswordHasher = PasswordHashing;

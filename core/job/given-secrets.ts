import { HorariumError } from '../errors.ts';
import { Redactor } from '../redaction/redactor.ts';
import { isCiphertext, mask } from '../secret/ciphertext.ts';
import { excessOfSecrets } from '../secret/secrets-size.ts';
import type { Vault } from '../secret/vault.ts';
import type { JobRow } from './job.ts';

// What masks the messages and reports of a running attempt is what the attempt was given, not what its template says by
// then. It is stored encrypted with the job from the start of the attempt to its end; output, arguments and the reason
// are masked before they are stored, so that nothing of it is needed afterwards.

type GivenSecrets = Pick<JobRow, 'id' | 'given_secrets'>;

/**
 * Encrypts the secrets that an attempt is given, for `given_secrets` of its job; null where there are none.
 * @param isKeyCurrent whether the vault's newest key may encrypt. Where another host has rotated to another key, the mask
 *   is stored instead, and messages about the attempt are masked as a whole.
 */
export function encryptGivenSecrets(
  vault: Vault,
  jobId: number,
  secrets: readonly string[],
  isKeyCurrent: boolean,
): string | null {
  if (secrets.length === 0) return null;
  return isKeyCurrent ? vault.encrypt(JSON.stringify(secrets), contextOf(jobId)) : mask;
}

/** Encrypts the secrets that a running attempt was given again, with the newest key of the vault. */
export function reencryptGivenSecrets(vault: Vault, { id, given_secrets: given }: GivenSecrets): string | null {
  return isCiphertext(given) ? vault.encrypt(vault.decrypt(given, contextOf(id)), contextOf(id)) : given;
}

/**
 * Returns the redactor of texts about a running attempt; null when the secrets of the attempt are not known, or are
 * more than it may get today, so that nothing of a text may be shown.
 * @param key the key of its heartbeats, where the caller has it.
 */
export function redactorOf(vault: Vault, { id, given_secrets: given }: GivenSecrets, key?: string): Redactor | null {
  const keys = key === undefined ? [] : [key];
  if (given === null) return new Redactor(keys);
  if (!isCiphertext(given)) return null;
  try {
    const secrets = JSON.parse(vault.decrypt(given, contextOf(id))) as string[];
    return excessOfSecrets(secrets) === null ? new Redactor([...secrets, ...keys]) : null;
  } catch (error) {
    if (error instanceof HorariumError) return null;
    throw error;
  }
}

/** Masks the secrets of a running attempt in a text about it. */
export async function redactOrMask(redactor: Redactor | null, text: string): Promise<string> {
  if (redactor) return redactor.redact(text);
  return text === '' ? '' : mask;
}

function contextOf(jobId: number): string {
  return `Job ${jobId} given secrets`;
}

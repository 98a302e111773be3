import { mask } from '../secret/ciphertext.ts';
import type { Digests } from '../user/digests.ts';

/** Hides the key of a PING_URL in a text, though only its hash is known: keys are the one long word that has it. */
export function hidePingKey(text: string, hash: string | null, digests: Pick<Digests, 'sha256'>): string {
  if (hash === null) return text;
  return text.replace(/[\w-]{32,}/g, (word) => (digests.sha256(word) === hash ? mask : word));
}

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { HorariumError } from '../errors.ts';
import { ciphertextPrefix } from '../secret/ciphertext.ts';
import type { Vault } from '../secret/vault.ts';

interface Key {
  /** The first characters of its fingerprint; a ciphertext names its key by them. */
  readonly id: string;
  readonly fingerprint: string;
  readonly bytes: Buffer;
  readonly encryptionKey: Buffer;
}

const nonceLength = 12;
const tagLength = 16;

/**
 * Encrypts by AES-256-GCM with a random nonce and the context as additional data. A ciphertext is the prefix, the id of
 * the key, a colon, and nonce, tag and encrypted bytes in base64url.
 */
export class NodeVault implements Vault {
  readonly #keys: readonly [Key, ...Key[]];

  /**
   * @param keys 32 bytes each in base64, newest first, separated by commas.
   * @throws HorariumError `invalid` when one is not such a key or is given twice.
   */
  constructor(keys: string) {
    const [newest, ...older] = keys.split(',').map((text, index) => readKey(text.trim(), index + 1));
    this.#keys = [newest as Key, ...older];
    if (new Set(this.#keys.map((key) => key.fingerprint)).size < this.#keys.length)
      throw new HorariumError('invalid', 'A vault key is given twice.');
  }

  get fingerprint(): string {
    return this.#keys[0].fingerprint;
  }

  get fingerprints(): string[] {
    return this.#keys.map((key) => key.fingerprint);
  }

  encrypt(plain: string, context: string): string {
    const [key] = this.#keys;
    const nonce = randomBytes(nonceLength);
    const cipher = createCipheriv('aes-256-gcm', key.encryptionKey, nonce, { authTagLength: tagLength });
    cipher.setAAD(Buffer.from(context, 'utf8'));
    const encrypted = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    const body = Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url');
    return `${ciphertextPrefix}${key.id}:${body}`;
  }

  decrypt(ciphertext: string, context: string): string {
    const [id = '', body = ''] = partsOf(ciphertext);
    const key = this.#keys.find((candidate) => candidate.id === id);
    if (!key) throw undecryptable(`its key ${id || 'cannot be read'} is not among the vault’s keys`);
    const bytes = Buffer.from(body, 'base64url');
    if (bytes.length < nonceLength + tagLength) throw undecryptable('it was changed');
    const decipher = createDecipheriv('aes-256-gcm', key.encryptionKey, bytes.subarray(0, nonceLength), {
      authTagLength: tagLength,
    });
    decipher.setAAD(Buffer.from(context, 'utf8'));
    decipher.setAuthTag(bytes.subarray(nonceLength, nonceLength + tagLength));
    try {
      const plain = decipher.update(bytes.subarray(nonceLength + tagLength));
      return Buffer.concat([plain, decipher.final()]).toString('utf8');
    } catch {
      throw undecryptable('it was changed, or moved here from another record or field');
    }
  }

  keyOf(ciphertext: string): string {
    return partsOf(ciphertext)[0] ?? '';
  }

  signingKey(purpose: string): string {
    const oldest = this.#keys.at(-1) as Key;
    return derive(oldest.bytes, `hmac ${purpose}`).toString('base64');
  }

  hmac(key: string): (data: string) => string {
    // A key object is made once, because bytes would be converted to one for each text, which takes five times as long.
    const secret = createSecretKey(key, 'base64');
    return (data) => createHmac('sha256', secret).update(data, 'utf8').digest('hex');
  }
}

/** A vault with a random key that ends with this process; only a store in memory may be used with it. */
export class EphemeralVault extends NodeVault {
  readonly isEphemeral = true;

  constructor() {
    super(newVaultKey());
  }
}

/** Splits a ciphertext into the id of its key and the rest; returns nothing for a text that no vault wrote. */
function partsOf(ciphertext: string): string[] {
  return ciphertext.startsWith(ciphertextPrefix) ? ciphertext.slice(ciphertextPrefix.length).split(':') : [];
}

/** Generates a key for the constructor of the vault. */
export function newVaultKey(): string {
  return randomBytes(32).toString('base64');
}

function readKey(text: string, position: number): Key {
  const bytes = Buffer.from(text, 'base64');
  const canonical = Buffer.from(bytes.toString('base64'));
  const input = Buffer.from(text);
  if (bytes.length !== 32 || input.length !== canonical.length || !timingSafeEqual(input, canonical))
    throw new HorariumError('invalid', `Vault key ${position} is not 32 bytes in base64.`);
  const fingerprint = createHmac('sha256', bytes).update('horarium vault fingerprint').digest('hex').slice(0, 32);
  return { id: fingerprint.slice(0, 8), fingerprint, bytes, encryptionKey: derive(bytes, 'seal') };
}

function derive(key: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `horarium ${purpose}`, 32));
}

function undecryptable(reason: string): HorariumError {
  return new HorariumError('unavailable', `A stored secret cannot be decrypted: ${reason}.`);
}

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPublicKey,
  createSecretKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { WireError } from '../wire-error.ts';
import { rawPublicKey } from './keys.ts';

const none = Buffer.alloc(0);
const kemSuite = Buffer.from([...Buffer.from('KEM'), 0x00, 0x20]);
const suite = Buffer.from([...Buffer.from('HPKE'), 0x00, 0x20, 0x00, 0x01, 0x00, 0x02]);
const keyLength = 32;
const tagLength = 16;

const baseMode = Buffer.from([0]);
/** Messages are sealed without a key that both sides have in common. */
const noPskHash = extract(suite, none, 'psk_id_hash', none);

/** The bytes that sealing adds to a body. */
export const sealLength = keyLength + tagLength;

/**
 * Encrypts a body so that only the owner of a key reads it: HPKE (RFC 9180) in its base mode for one message, with
 * DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and AES-256-GCM. It is written with node:crypto because hosts seal and open some
 * five messages for each attempt, and @hpke/core, which the tests compare it with, takes five times as long for each.
 * @param info what both sides know of the message; with any other one it does not open.
 */
export function seal(recipient: KeyObject, info: Uint8Array, body: Uint8Array): Buffer {
  const ephemeral = generateKeyPairSync('x25519');
  const encapsulated = rawPublicKey(ephemeral.publicKey);
  const shared = diffieHellman({ privateKey: ephemeral.privateKey, publicKey: recipient });
  const { key, nonce } = keySchedule(shared, encapsulated, rawPublicKey(recipient), info);
  const cipher = createCipheriv('aes-256-gcm', createSecretKey(key), nonce);
  return Buffer.concat([encapsulated, cipher.update(body), cipher.final(), cipher.getAuthTag()]);
}

/** @throws WireError for what was not sealed to this key with this `info`. */
export function openSeal(owner: KeyObject, info: Uint8Array, sealed: Uint8Array): Buffer {
  if (sealed.length < sealLength) throw new WireError('A message is too short to be sealed.');
  try {
    const encapsulated = sealed.subarray(0, keyLength);
    const x = Buffer.from(encapsulated).toString('base64url');
    const sender = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'X25519', x } });
    const shared = diffieHellman({ privateKey: owner, publicKey: sender });
    const { key, nonce } = keySchedule(shared, encapsulated, rawPublicKey(createPublicKey(owner)), info);
    const decipher = createDecipheriv('aes-256-gcm', createSecretKey(key), nonce, { authTagLength: tagLength });
    decipher.setAuthTag(sealed.subarray(-tagLength));
    return Buffer.concat([decipher.update(sealed.subarray(keyLength, -tagLength)), decipher.final()]);
  } catch {
    throw new WireError('A message does not open: it was sealed to another key, or for another subject.');
  }
}

/** Derives the key and the nonce of a message from the secret that both keys make (RFC 9180, 4.1 and 5.1). */
function keySchedule(dh: Uint8Array, encapsulated: Uint8Array, recipient: Uint8Array, info: Uint8Array) {
  const kemContext = Buffer.concat([encapsulated, recipient]);
  const shared = expand(kemSuite, extract(kemSuite, none, 'eae_prk', dh), 'shared_secret', kemContext, 32);
  const context = Buffer.concat([baseMode, noPskHash, extract(suite, none, 'info_hash', info)]);
  const secret = extract(suite, shared, 'secret', none);
  return { key: expand(suite, secret, 'key', context, 32), nonce: expand(suite, secret, 'base_nonce', context, 12) };
}

function extract(suiteId: Uint8Array, salt: Uint8Array, label: string, secret: Uint8Array): Buffer {
  return hmac(salt, 'HPKE-v1', suiteId, label, secret);
}

/** @param length at most 32: one block of HKDF. */
function expand(suiteId: Uint8Array, key: Uint8Array, label: string, info: Uint8Array, length: number): Buffer {
  return hmac(key, Buffer.from([0, length]), 'HPKE-v1', suiteId, label, info, Buffer.from([1])).subarray(0, length);
}

function hmac(key: Uint8Array, ...parts: readonly (string | Uint8Array)[]): Buffer {
  // Bytes as a key take Node.js twice as long, because it finds out by an error what they are.
  const mac = createHmac('sha256', createSecretKey(key));
  for (const part of parts) mac.update(part);
  return mac.digest();
}
